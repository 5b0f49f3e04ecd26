"""Installs the versions of packages with known bugs, each into a folder of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Old packages import abstract base classes from `collections`, which Python 3.10 has removed.
SHIM = """\
import collections
import collections.abc

for name in collections.abc.__all__:
    if not hasattr(collections, name):
        setattr(collections, name, getattr(collections.abc, name))
"""


@dataclass(frozen=True, slots=True)
class Subject:
    """A class with a known bug, and the versions of its package."""

    name: str
    target: str  # the class, as "package.module:Class"
    buggy: str  # what pip installs; "" for the standard library
    fixed: str  # the version in which the bug is fixed; "" if there is none
    dependencies: tuple[str, ...] = ()
    needs_shim: bool = False

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> "Subject":
        """Return the subject that an entry of the corpus describes."""
        module, _, name = entry["import_path"].rpartition(".")
        return cls(
            entry["id"],
            f"{module}:{name}",
            entry["pip_buggy"] or "",
            entry["pip_fixed"] or "",
            tuple(entry["pip_deps"]),
            entry["needs_collections_shim"],
        )


def read_corpus(path: Path) -> list[Subject]:
    """Return the subjects of a corpus: a JSON file whose `subjects` is a list of entries."""
    return [Subject.of(entry) for entry in json.loads(path.read_text(encoding="utf-8"))["subjects"]]


@dataclass(frozen=True, slots=True)
class PackageFolders:
    """The folders into which the packages are installed, below one folder."""

    folder: Path

    def install(self, subject: Subject, requirement: str) -> Path | None:
        """Install one version of a subject's package unless it is there; return its folder, None without packages."""
        if not requirement:
            return None
        target = self.folder / subject.name / requirement.replace("==", "-")
        if not target.exists():
            partial = target.with_name(f"{target.name}.partial")
            command = [sys.executable, "-m", "pip", "install", "--quiet"]
            command += ["--target", str(partial), requirement, *subject.dependencies]
            subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
            if subject.needs_shim:
                (partial / "sitecustomize.py").write_text(SHIM, encoding="utf-8")
            partial.rename(target)
        return target


def environment_with(folders: Iterable[Path]) -> dict[str, str]:
    """Return the environment of a process that imports from these folders first."""
    inherited = os.environ.get("PYTHONPATH", "")
    paths = [*map(str, folders), *([inherited] if inherited else [])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
