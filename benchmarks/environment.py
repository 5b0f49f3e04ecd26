"""The virtual environment in which the tools are measured: `build/benchmarks/venv` in the checkout."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NEEDED = (3, 12)  # the oldest version that interleave-test supports
FOLDER = ROOT / "build" / "benchmarks" / "venv"
PYTHON = FOLDER / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def prepare(requirements: Mapping[str, str]) -> dict[str, str]:
    """Create the environment and install the packages. For each package that cannot be installed, return the reason."""
    python = interpreter()
    if not _is_for(python):
        shutil.rmtree(FOLDER, ignore_errors=True)
        subprocess.run([python, "-m", "venv", str(FOLDER)], check=True)
    reasons = {package: _install(requirement) for package, requirement in requirements.items()}
    return {package: reason for package, reason in reasons.items() if reason}


def python_version() -> str:
    """Return the Python version of the environment, which may differ from the version that runs the benchmark."""
    return _run("-c", "import platform; print(platform.python_version())").stdout.strip()


def versions() -> dict[str, str]:
    listing = json.loads(_run("-m", "pip", "list", "--format=json").stdout)
    return {package["name"]: package["version"] for package in listing}


def why(pip_said: str) -> str:
    """Return the first error in pip's output: an error from pip itself, or the exception that made a build fail."""
    complaint = re.search(r"^\s*(?:ERROR|\w+Error): .*", pip_said, re.MULTILINE)
    return complaint[0].strip().removeprefix("ERROR: ") if complaint else "pip failed without an error message"


def interpreter() -> str:
    """Return the interpreter to measure with: the running one, or a newer one if a peer needs it and one is found."""
    if sys.version_info >= NEEDED:
        return sys.executable
    from python_discovery import get_interpreter  # imported here, because it is installed only with nox

    # Search pyenv's versions directly, because its shims fail for versions that are not active.
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    folders = [*map(str, sorted(pyenv.glob("versions/3.*/bin"), reverse=True)), os.environ["PATH"]]
    found = get_interpreter(f">={'.'.join(map(str, NEEDED))}", env={**os.environ, "PATH": os.pathsep.join(folders)})
    return found.executable if found else sys.executable


def _is_for(python: str) -> bool:
    ask = "import platform; print(platform.python_version())"
    wanted = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=True).stdout
    return PYTHON.exists() and _run("-c", ask).stdout == wanted


def _install(requirement: str) -> str | None:
    """Install a requirement; return the error, or None if it was installed. pip always reinstalls the checkout."""
    pip = _run("-m", "pip", "install", "--quiet", "--disable-pip-version-check", requirement)
    return why(pip.stderr) if pip.returncode else None


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PYTHON, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
