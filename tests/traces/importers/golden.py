"""Golden pairs: every fixture beside the file of what is read from it.

``GOLDEN=write pytest …`` writes the expected files anew; read the difference
before it is committed.
"""

import json
import os
from dataclasses import asdict
from io import BytesIO
from pathlib import Path

from traces.domain.records import Reject
from traces.importers import read_any
from traces.importers.base import DEFAULT_LIMITS

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def fixtures(*formats):
    """Every fixture of some formats, or of all."""
    folders = [FIXTURES / name for name in formats] or sorted(FIXTURES.iterdir())
    return [
        path
        for folder in folders
        for path in sorted(folder.iterdir())
        if not path.name.endswith(".expected.json")
    ]


def label(path):
    return f"{path.parent.name}/{path.name}"


def read(data, name="", format="auto", limits=DEFAULT_LIMITS):
    """Everything that is read from some bytes, as a list."""
    source = BytesIO(data if isinstance(data, bytes) else data.encode())
    return list(read_any(source, name=name, format=format, limits=limits))


def described(found):
    """What was read, as JSON without the fields that hold their default."""
    kind = "reject" if isinstance(found, Reject) else "trace"
    return {kind: _sparse(json.loads(json.dumps(asdict(found))))}


def _sparse(value):
    if isinstance(value, list):
        return [_sparse(item) for item in value]
    if isinstance(value, dict):
        kept = {key: _sparse(item) for key, item in value.items()}
        return {
            key: item
            for key, item in kept.items()
            if item not in (None, "", [], {}, "unset") or key in {"content", "response"}
        }
    return value


def check(path):
    """A fixture reads as its expected file says."""
    found = [described(one) for one in read(path.read_bytes(), path.name)]
    expected = path.with_name(f"{path.stem}.expected.json")
    if os.environ.get("GOLDEN") == "write":
        text = json.dumps(found, ensure_ascii=False, indent=1, sort_keys=True)
        expected.write_text(text + "\n")
    assert found == json.loads(expected.read_text())
