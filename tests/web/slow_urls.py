"""Addresses for the tests of the request handler."""

import threading

from django.contrib.auth.decorators import login_not_required
from django.http import HttpResponse, StreamingHttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

THREADS = []


@csrf_exempt
@login_not_required
def count(request):
    """Length of the body, and a cookie."""
    answer = HttpResponse(str(len(request.read())))
    answer.set_cookie("seen", "yes")
    return answer


@login_not_required
def long(request):
    """An answer of unknown length, made part by part on one thread."""

    def parts():
        for number in range(3):
            THREADS.append(threading.current_thread().name)
            yield f"part {number};"

    return StreamingHttpResponse(parts())


@login_not_required
async def waiting(request):
    """An asynchronous view."""
    return HttpResponse("done")


urlpatterns = [
    path("count", count),
    path("long", long),
    path("waiting", waiting),
]
