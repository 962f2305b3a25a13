"""Write requirements.lock: runtime pins first, then those of development."""

import subprocess
import tempfile
import tomllib
from pathlib import Path

MARK = "# --- development ---"
COMMON = (
    "uv", "pip", "compile", "--universal", "--python-version", "3.11", "--no-header",
    "--generate-hashes", "--no-emit-index-url", "--no-emit-find-links", "--no-annotate",
    "--quiet",
)  # fmt: skip


def compile_pins(requirements: list[str], constraints: str = "") -> str:
    """Resolve requirements to pins with hashes."""
    with tempfile.TemporaryDirectory() as folder:
        wanted, held = Path(folder, "wanted.in"), Path(folder, "held.txt")
        wanted.write_text("\n".join(requirements))
        held.write_text(constraints)
        command = [*COMMON, "-c", str(held), str(wanted)]
        return subprocess.run(
            command, check=True, stdout=subprocess.PIPE, text=True
        ).stdout


def blocks(pins: str) -> dict[str, str]:
    """Pins by their first line; each with its hashes."""
    found: dict[str, str] = {}
    first = ""
    for line in pins.splitlines():
        if line and not line.startswith((" ", "#")):
            first = line.removesuffix(" \\")
        found[first] = found.get(first, "") + line + "\n"
    return found


def main() -> None:
    """Resolve both sets together, so that they agree."""
    project = tomllib.loads(Path("pyproject.toml").read_text())
    runtime = project["project"]["dependencies"]
    development = project["dependency-groups"]["dev"]
    whole = compile_pins([*runtime, *development])
    needed = blocks(compile_pins(runtime, "\n".join(blocks(whole))))
    rest = {first: pin for first, pin in blocks(whole).items() if first not in needed}
    text = "".join(needed.values()) + MARK + "\n" + "".join(rest.values())
    Path("requirements.lock").write_text(text)


main()
