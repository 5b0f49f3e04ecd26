"""The virtual environment in which the tools are measured: `build/benchmarks/venv` in the checkout."""

import json
import os
import platform
import re
import subprocess
import venv
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "benchmarks" / "venv"
PYTHON = FOLDER / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def prepare(requirements: Mapping[str, str]) -> dict[str, str]:
    """Make the environment for this version of Python; say which package could not be installed, and why."""
    if not _is_for_this_python():
        venv.EnvBuilder(with_pip=True, clear=True, symlinks=os.name != "nt").create(FOLDER)
    reasons = {package: _install(requirement) for package, requirement in requirements.items()}
    return {package: reason for package, reason in reasons.items() if reason}


def versions() -> dict[str, str]:
    listing = json.loads(_run("-m", "pip", "list", "--format=json").stdout)
    return {package["name"]: package["version"] for package in listing}


def why(pip_said: str) -> str:
    """The first complaint in what pip printed: its own, or the exception of a failed build."""
    complaint = re.search(r"^\s*(?:ERROR|\w+Error): .*", pip_said, re.MULTILINE)
    return complaint[0].strip().removeprefix("ERROR: ") if complaint else "pip failed without saying why"


def _is_for_this_python() -> bool:
    ask = "import platform; print(platform.python_version())"
    return PYTHON.exists() and _run("-c", ask).stdout.strip() == platform.python_version()


def _install(requirement: str) -> str | None:
    """Nothing when it is installed (the checkout always anew), else the reason."""
    pip = _run("-m", "pip", "install", "--quiet", "--disable-pip-version-check", requirement)
    return why(pip.stderr) if pip.returncode else None


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PYTHON, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
