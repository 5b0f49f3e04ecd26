"""Runs a documentation page as a program: writes its files, runs its commands, and compares their output with the page.

    <!-- file: name.py -->     the fenced block below is written to that file
    <!-- file: name.py         the same for a file that readers need not see
    ...
    -->
    <!-- add to: name.py after: words -->   the block is inserted below the first line of that file with those words
    ```console                 "$ command" is run, and the lines below it are its output; ... matches anything
    ```text                    a part of the last command's output; with <!-- drawing --> above, a drawing
    ```python, ```toml         without a file name: Python is run; tests check TOML as settings
    ```yaml                    the commands after "run:" are run

Everything on a page happens in one directory, from top to bottom. `python tools/shown.py PAGE...` runs pages and
replaces outdated output with the current output of the commands.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HANG_SECONDS = 900  # time limit for a command, far longer than any command takes, even on a busy machine
WRONG = (3, 4)  # exit codes that indicate a mistake on the page, unless the page shows the output of the command
_FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
_HIDDEN = re.compile(r"^( *)<!-- file: (\S+)\n(.*?)^\1-->$", re.DOTALL | re.MULTILINE)
_MARK = re.compile(r"<!-- (.*?) -->\s*\Z")
_INDENTED = re.compile(r"^(?:    |    \$ )(raddle .*)$", re.MULTILINE)
_SECONDS = re.compile(r"\b\d+\.\d+ ?s\b")
_CARETS = re.compile(r"^ *[\^~]+ *\n", re.MULTILINE)  # only some Python versions print carets


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block, or a hidden file."""

    language: str
    text: str
    mark: str  # text of the HTML comment above the block
    start: int  # offset in the page


@dataclass(frozen=True, slots=True)
class Shown:
    """A command and the output that the page shows for it."""

    command: str
    output: str


def blocks(page: str) -> list[Block]:
    """Return all blocks of a page, from top to bottom.

    >>> [block.language for block in blocks("```text\\nhello\\n```\\n")]
    ['text']
    """
    found = [Block("file", _dedent(m[3], m[1]), f"file: {m[2]}", m.start()) for m in _HIDDEN.finditer(page)]
    for match in _FENCE.finditer(page):
        mark = _MARK.search(page[: match.start()])
        found.append(Block(match[2], _dedent(match[3], match[1]), mark[1] if mark else "", match.start()))
    return sorted(found, key=lambda block: block.start)


def _dedent(text: str, indent: str) -> str:
    return re.sub(f"^{indent}", "", text, flags=re.MULTILINE) if indent else text


def indented_commands(page: str) -> list[str]:
    """Return the commands in blocks that are indented but not fenced."""
    return [match[1].rstrip() for match in _INDENTED.finditer(_FENCE.sub("", page))]


def commands(block: Block) -> Iterator[Shown]:
    """Yield the commands of a console block."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield Shown(command, output)


def alike(wanted: str, got: str) -> bool:
    """Return whether the outputs match, ignoring durations and the carets that only some Python versions print."""
    checker = doctest.OutputChecker()
    return checker.check_output(_plain(wanted), _plain(got), doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)


def _plain(text: str) -> str:
    lines = _CARETS.sub("", _SECONDS.sub("0.00 s", text)).splitlines()
    return "\n".join(line.rstrip() for line in lines).strip() + "\n"


class Reader:
    """Runs a page in a directory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.last = ""  # output of the last command
        self.code = 0
        self._snippets = 0

    def differences(self, page: str) -> Iterator[tuple[Shown, str]]:
        """Run the page. Yield each command whose output differs from what the page shows, and the actual output."""
        for block in blocks(page):
            if block.mark.startswith("file: "):
                self.write(block.mark.removeprefix("file: "), block.text)
            elif block.mark.startswith("add to: "):
                name, _, words = block.mark.removeprefix("add to: ").partition(" after: ")
                if not self.add(name, words, block.text):
                    yield Shown(block.text, ""), f"{name} has no line with {words!r}"
            elif block.language == "console":
                for shown in commands(block):
                    got = self.run(shown.command)
                    if (shown.output.strip() and not alike(shown.output, got)) or self._wrong(shown):
                        yield shown, got
            elif block.language == "text":
                if block.mark != "drawing" and not alike(f"...\n{block.text}...", f"\n{self.last}\n"):
                    yield Shown("(the last command)", block.text), self.last
            elif block.language == "yaml":
                for command in re.findall(r"^\s*(?:- )?(?:run: )?((?:raddle|pytest) .*)$", block.text, re.MULTILINE):
                    got = self.run(command)
                    if self._wrong(Shown(command, "")):
                        yield Shown(command, ""), got
            elif block.language == "python":
                self._snippets += 1
                (self.folder / f"snippet_{self._snippets}.py").write_text(block.text, encoding="utf-8")
                got = self.run(f"python snippet_{self._snippets}.py")
                if self.code:
                    yield Shown(block.text, ""), got
            elif block.language != "toml":
                yield Shown(block.text, ""), f"unknown kind of block: {block.language!r}"

    def write(self, name: str, text: str) -> None:
        """Write a file to the directory."""
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def add(self, name: str, words: str, text: str) -> bool:
        """Insert text below the first line that contains the words. Return whether the file has such a line."""
        lines = (self.folder / name).read_text(encoding="utf-8").splitlines(keepends=True)
        for place, line in enumerate(lines, 1):
            if words in line:
                self.write(name, "".join([*lines[:place], text, *lines[place:]]))
                return True
        return False

    def _wrong(self, shown: Shown) -> bool:
        return self.code in WRONG and not shown.output.strip()

    def run(self, command: str) -> str:
        """Run a command. Return its output on both streams, without the path of the directory."""
        words = shlex.split(command, comments=True)
        if words == ["echo", "$?"]:
            self.last = f"{self.code}\n"
            return self.last
        programs = {
            "raddle": ["-m", "raddle"],
            "pytest": ["-m", "pytest", "-p", "raddle_pytest", "-p", "raddle_pytest_mpi", "-p", "no:cacheprovider"],
            "python": [],
        }
        if words[0] not in programs:
            return f"a page may run only {', '.join(programs)}, not {words[0]}"
        done = self.python([*programs[words[0]], *words[1:]], _environment(self.folder))
        self.code = done.returncode
        self.last = done.stdout.replace(f"{self.folder.resolve()}/", "").replace(f"{self.folder}/", "")
        return self.last

    def python(self, arguments: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
        """Run Python in the directory, with both streams merged."""
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, encoding="utf-8", timeout=HANG_SECONDS, check=False,
        )  # fmt: skip


def _environment(folder: Path) -> dict[str, str]:
    """Return the same environment on every machine: no colors, 100 columns, nothing from an outer pytest."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "RADDLE", "COV"))}
    if (folder / "src").is_dir():  # the directory holds a copy of raddle's source
        kept["PYTHONPATH"] = str(folder / "src")
    kept["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # other plugins take time and print extra lines
    return {**kept, "COLUMNS": "100", "NO_COLOR": "1", "PYTHONUNBUFFERED": "1", "TERM": "dumb"}


def main() -> int:
    """Run the named pages, and update the output they show."""
    left = 0
    for name in sys.argv[1:]:
        file = Path(name)
        page = file.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            for shown, got in Reader(Path(folder)).differences(page):
                before = f"$ {shown.command}\n{shown.output}"
                if before in page and "..." not in shown.output:
                    page = page.replace(before, f"$ {shown.command}\n{got.rstrip()}\n", 1)
                    print(f"{name}: {shown.command}: rewritten")
                else:
                    left += 1
                    print(f"{name}: {shown.command}: cannot be updated automatically; the command prints\n{got}")
        file.write_text(page, encoding="utf-8")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
