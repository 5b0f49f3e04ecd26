"""Runs the tests, but for the slow ones, on other supported Pythons that this machine has.

python tools/other_pythons.py            the oldest and the newest
python tools/other_pythons.py 3.12       this one
"""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUPPORTED = [(3, 11), (3, 12), (3, 13), (3, 14), (3, 15)]


def find(version: tuple[int, int]) -> str | None:
    """An interpreter of that version: on the PATH, or among pyenv's."""
    name = f"python{version[0]}.{version[1]}"
    candidates = [shutil.which(name)]
    pyenv = os.environ.get("PYENV_ROOT") or os.path.expanduser("~/.pyenv")
    candidates += sorted(glob.glob(f"{pyenv}/versions/{version[0]}.{version[1]}.*/bin/python"), reverse=True)
    for candidate in candidates:
        if candidate and _is(candidate, version):
            return candidate
    return None


def _is(python: str, version: tuple[int, int]) -> bool:
    asked = subprocess.run(
        [python, "-c", "import sys, venv, ensurepip; print(*sys.version_info[:2])"], capture_output=True, text=True
    )
    return asked.returncode == 0 and asked.stdout.split() == [str(part) for part in version]


def test_with(python: str, version: tuple[int, int]) -> int:
    """Make an environment and run the tests in it."""
    folder = ROOT / f".venv-{version[0]}.{version[1]}"
    inside = str(folder / "bin" / "python")
    if not (folder / "installed").exists():
        subprocess.run([python, "-m", "venv", str(folder)], check=True)
        subprocess.run(
            [inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--editable", f"{ROOT}[test]"],
            check=True,
        )
        (folder / "installed").touch()
    workers = str(2 * (os.cpu_count() or 1))  # many wait
    return subprocess.run([inside, "-m", "pytest", "-n", workers, "-m", "not slow"], cwd=ROOT).returncode


def main() -> int:
    """Say what was tested and what was not; the worst exit code."""
    worst = 0
    asked = [tuple(map(int, name.split("."))) for name in sys.argv[1:]] or [SUPPORTED[0], SUPPORTED[-1]]
    for version in SUPPORTED:
        if version == sys.version_info[:2] or version not in asked:
            continue
        shown = f"Python {version[0]}.{version[1]}"
        python = find(version)
        if python is None:
            print(f"== {shown}: not on this machine, not tested", flush=True)
            continue
        print(f"== {shown}: {python}", flush=True)
        worst = max(worst, test_with(python, version))
    return worst


if __name__ == "__main__":
    sys.exit(main())
