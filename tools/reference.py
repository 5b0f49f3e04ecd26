"""Makes the pages of docs/reference that say what the code says: `python tools/reference.py`, or `make reference`."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import click

from raddle.api import explore
from raddle.cli import group
from raddle.config import Config

ROOT = Path(__file__).resolve().parent.parent


def commands() -> str:
    """The page of all commands with their options.

    >>> "## raddle explore" in commands()
    True
    """
    parts = ["# Commands", "", "Made from the program itself; `raddle COMMAND --help` says the same.", ""]
    parts += ["| command | |", "|---|---|"]
    found = dict(_commands(group, "raddle"))
    for name, command in found.items():
        parts.append(f"| [`{name}`](#{name.replace(' ', '-')}) | {_cell(command.get_short_help_str(limit=200))} |")
    for name, command in found.items():
        parts += ["", f"## {name}", "", *_about(command), "", "```text", _usage(name, command), "```", ""]
        options = [param for param in command.params if isinstance(param, click.Option) and not param.hidden]
        parts += ["| option | |", "|---|---|"]
        context = click.Context(command, info_name=name, help_option_names=["-h", "--help"])
        for option in options:
            written, said = option.get_help_record(context) or (option.name or "", "")
            parts.append(f"| `{_cell(written)}` | {_cell(said)} |")
        # click's own is kept from the first time that anybody has asked for it, with the names that it had there.
        parts.append("| `-h, --help` | Show this message and exit. |")
    return "\n".join([*parts, ""])


def _commands(of: click.Group, prefix: str) -> Iterator[tuple[str, click.Command]]:
    for name in of.list_commands(click.Context(of)):
        command = of.get_command(click.Context(of), name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from _commands(command, f"{prefix} {name}")
        elif not command.hidden:
            yield f"{prefix} {name}", command


def _about(command: click.Command) -> list[str]:
    text = inspect.cleandoc(command.help or "").partition("\f")[0]
    return [_prose(line) for line in text.splitlines() if line != "\b"]


def _usage(name: str, command: click.Command) -> str:
    context = click.Context(command, info_name=name)
    return " ".join([name, *command.collect_usage_pieces(context)])


def _prose(text: str) -> str:
    return text.replace("<", "&lt;").replace("*", r"\*")


def _cell(text: str) -> str:
    return text.replace("|", r"\|").replace("\n", " ")


def configuration() -> str:
    """The page of all keys of [tool.raddle].

    >>> "| `executions` |" in configuration()
    True
    """
    defaults = inspect.signature(explore).parameters
    said = {
        option.name: option.help or ""
        for name in ("report", "explore")  # where both have it, what explore says
        for option in group.get_command(click.Context(group), name).params
        if isinstance(option, click.Option)
    }
    parts = [
        "# Configuration",
        "",
        "Keys of `[tool.raddle]` in `pyproject.toml`, the nearest one at or above the current folder. The command line",
        "goes before the marker of a test, the marker before the file. Unknown keys are refused.",
        "",
        "| key | type | default | |",
        "|---|---|---|---|",
    ]
    for field in fields(Config):
        kind = str(field.type).replace(" | None", "").replace("tuple[str, ...]", "list of strings")
        kind = kind.replace("str", "string").replace("list of stringings", "list of strings").replace(" | ", " or ")
        default = defaults[field.name].default if field.name in defaults else None
        shown = (
            "" if default in (None, (), "") else f"`{str(default).lower() if isinstance(default, bool) else default}`"
        )
        parts.append(
            f"| `{field.name}` | {kind} | {shown} | {_cell(said.get(field.name, '').removesuffix(' Repeatable.'))} |"
        )
    return "\n".join([*parts, ""])


PAGES = {"cli.md": commands, "configuration.md": configuration}


def main() -> int:
    """Write them."""
    for name, make in PAGES.items():
        (ROOT / "docs/reference" / name).write_text(make(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
