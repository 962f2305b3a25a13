import gzip
import zlib

import pytest

from traces.services.bodies import DamagedError, TooLargeError, decompress

TEXT = b"the order has shipped " * 50


def raw_deflate(data):
    stream = zlib.compressobj(wbits=-15)
    return stream.compress(data) + stream.flush()


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("", TEXT),
        ("identity", TEXT),
        ("gzip", gzip.compress(TEXT)),
        ("x-gzip", gzip.compress(TEXT)),
        ("gzip", gzip.compress(TEXT[:100]) + gzip.compress(TEXT[100:])),
        ("gzip", gzip.compress(TEXT) + b"\0" * 9),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", raw_deflate(TEXT)),
    ],
)
def test_the_content_comes_out(encoding, body):
    assert decompress(body, encoding, len(TEXT)) == TEXT


@pytest.mark.parametrize("encoding", ["identity", "gzip", "deflate"])
def test_one_byte_too_many_is_refused(encoding):
    body = {
        "identity": TEXT,
        "gzip": gzip.compress(TEXT),
        "deflate": zlib.compress(TEXT),
    }
    with pytest.raises(TooLargeError):
        decompress(body[encoding], encoding, len(TEXT) - 1)


@pytest.mark.parametrize("make", [gzip.compress, zlib.compress, raw_deflate])
def test_a_bomb_never_unfolds(make):
    encoding = "gzip" if make is gzip.compress else "deflate"
    bomb = make(b"\0" * 50_000_000)
    with pytest.raises(TooLargeError):
        decompress(bomb, encoding, 1_000_000)


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", TEXT),
        ("gzip", b""),
        ("gzip", gzip.compress(TEXT)[:-9]),
        ("gzip", gzip.compress(TEXT) + b"rest"),
        ("gzip", gzip.compress(b"") * 1_000_000),
        ("deflate", zlib.compress(TEXT)[:-5]),
        ("deflate", b"\xff" * 50),
    ],
)
def test_damage_is_named(encoding, body):
    with pytest.raises(DamagedError):
        decompress(body, encoding, 1_000_000)
