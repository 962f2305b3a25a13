"""Reads of campaigns and labels."""
