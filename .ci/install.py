"""Install the pinned packages into the environment whose Python runs this.

Usage: python .ci/install.py runtime|development

Does nothing if the same pins are there already. Bytecode is made when a module is
first used: it would take as long as the rest of the installation, mostly for
modules that nobody loads.
"""

import hashlib
import re
import subprocess
import sys
import tempfile
from collections import deque
from pathlib import Path

LOCK = Path("requirements.lock")
MARK = "# --- development ---\n"
PIP = (
    *(sys.executable, "-m", "pip", "--disable-pip-version-check", "install"),
    *("--require-hashes", "--no-deps", "--no-compile", "--only-binary", ":all:"),
    *("--progress-bar", "off", "--no-input"),
)
FETCHED = ("Collecting", "Processing", "Requirement already", "Ignoring")
"""How pip begins its line for a package; it ignores those for other systems."""


def main(part: str) -> int:
    """Install one part of the lock file; pip's exit status."""
    pins = LOCK.read_text("utf-8")
    if part == "runtime":
        pins = pins.partition(MARK)[0]
    wanted = hashlib.sha256(pins.encode()).hexdigest()
    stamp = Path(sys.prefix, f"installed-{part}")
    if stamp.exists() and stamp.read_text() == wanted:
        return 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "requirements.txt")
        path.write_text(pins, "utf-8")
        status = install(path, len(re.findall(r"(?m)^[^ #]+==", pins)))
    if status == 0:
        stamp.write_text(wanted)
    return status


def install(path: Path, count: int) -> int:
    """Run pip, showing how far it is; on failure, the end of what it said."""
    said: deque[str] = deque(maxlen=15)
    done = 0
    show(f"Installing {count} packages (once)")
    with subprocess.Popen(
        [*PIP, "-r", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as pip:
        assert pip.stdout is not None
        for line in pip.stdout:
            said.append(line)
            if line.startswith(FETCHED):
                done += 1
                show(f"Installing {count} packages (once): {done} fetched")
            elif line.startswith("Installing collected"):
                show(f"Installing {count} packages (once): unpacking")
    print(flush=True)
    if pip.returncode:
        sys.stderr.writelines(said)
    return pip.returncode


def show(text: str) -> None:
    """Replace the last line on a terminal; elsewhere print the first only."""
    if sys.stdout.isatty():
        print(f"\r\033[K{text}", end="", flush=True)
    elif text.endswith("(once)"):
        print(text, end="", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
