"""Addresses of what senders and programs use."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
