"""The repository's files, as the tests that guard it read them."""

import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APPS = ("agenteval_web", "traces", "judging", "annotation")


@cache
def tracked() -> tuple[Path, ...]:
    """Files under version control, and those about to be."""
    command = ("git", "ls-files", "--cached", "--others", "--exclude-standard", "-z")
    listed = subprocess.run(
        command, cwd=ROOT, capture_output=True, check=True, text=True
    )
    paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    return tuple(sorted(path for path in paths if path.is_file()))


def product() -> list[Path]:
    """Python files of the product without its migrations."""
    return [
        path
        for path in tracked()
        if path.suffix == ".py"
        and path.relative_to(ROOT).parts[0] in APPS
        and "migrations" not in path.parts
    ]


def named(path: Path) -> str:
    """The path as people write it."""
    return path.relative_to(ROOT).as_posix()


def text_of(path: Path) -> str:
    """Content of a text file, "" of any other."""
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError:
        return ""
