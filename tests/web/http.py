"""A small HTTP client for the tests that talk to a real server."""

import json
import urllib.error
import urllib.request
from dataclasses import dataclass
from http.cookiejar import CookieJar


@dataclass(frozen=True)
class Got:
    """An answer, after all redirects."""

    status: int
    url: str
    text: str

    def json(self):
        return json.loads(self.text)


class Browser:
    """Keeps cookies and follows redirects."""

    def __init__(self):
        cookies = urllib.request.HTTPCookieProcessor(CookieJar())
        self._opener = urllib.request.build_opener(cookies)

    def get(self, url):
        return self._open(urllib.request.Request(url))

    def _open(self, request):
        try:
            with self._opener.open(request, timeout=30) as answer:
                return Got(answer.status, answer.url, answer.read().decode())
        except urllib.error.HTTPError as error:
            return Got(error.code, error.url, error.read().decode())


def call(url, content, headers):
    """GET, or POST of JSON."""
    data = None if content is None else json.dumps(content).encode()
    known = {"Content-Type": "application/json"} if data else {}
    request = urllib.request.Request(url, data, known | headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return Got(answer.status, answer.url, answer.read().decode())
