"""Generates the pages of docs/reference from the code: `python tools/reference.py`, or `make reference`."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path

import click

from raddle.api import explore
from raddle.cli import group
from raddle.config import Config, GenerateConfig
from raddle.generation.generate import generate

ROOT = Path(__file__).resolve().parent.parent


def commands() -> str:
    """Return the page that lists all commands with their options.

    >>> "## raddle explore" in commands()
    True
    """
    parts = [
        "# Commands of raddle",
        "",
        "This page is for users of the command line. It lists every command with its options. `raddle COMMAND --help`",
        "shows the same text.",
        "",
    ]
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
            written, help_text = option.get_help_record(context) or (option.name or "", "")
            parts.append(f"| `{_cell(written)}` | {_cell(help_text)} |")
        # The help option is written by hand, because click caches its own help option with the names from its first
        # use.
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
    """Return the page that lists all keys of [tool.raddle].

    >>> "| `executions` |" in configuration()
    True
    """
    # explore's help text replaces report's if both have the option
    helps = _helps("report") | _helps("explore") | {"generate": "Options of `raddle generate`; see below."}
    parts = [
        "# Configuration of raddle",
        "",
        "This page is for users who want to set options once for a project. It lists the keys of `[tool.raddle]` in",
        "`pyproject.toml`. raddle reads the nearest such file at or above the current directory. Command-line options",
        "override a test's marker, and the marker overrides the file. Unknown keys are errors.",
        "",
        *_settings(Config, helps, inspect.signature(explore).parameters),
        "",
        "## raddle generate",
        "",
        "The options of `raddle generate` are keys of `[tool.raddle.generate]`. The key `factory` stands for `--with`.",
        "The command does not use the keys above.",
        "",
        *_settings(GenerateConfig, _helps("generate"), inspect.signature(generate).parameters),
    ]
    return "\n".join([*parts, ""])


def _helps(name: str) -> dict[str, str]:
    """Return the help texts of the options of a command."""
    command = group.get_command(click.Context(group), name)
    assert command is not None
    return {str(option.name): option.help or "" for option in command.params if isinstance(option, click.Option)}


def _settings(
    config: type[Config] | type[GenerateConfig], helps: Mapping[str, str], defaults: Mapping[str, inspect.Parameter]
) -> Iterator[str]:
    """Yield the table of the keys of a class of settings."""
    yield from ("| key | type | default | |", "|---|---|---|---|")
    for field in fields(config):
        kind = str(field.type).replace(" | None", "").replace("tuple[str, ...]", "list of strings")
        kind = kind.replace("str", "string").replace("list of stringings", "list of strings").replace(" | ", " or ")
        kind = kind.replace("GenerateConfig", "table")
        default = defaults[field.name].default if field.name in defaults else None
        if default in (None, (), "", False) or isinstance(default, tuple):
            shown = ""
        else:
            shown = f"`{str(default).lower() if isinstance(default, bool) else default}`"
        about = helps.get(field.name, "").removesuffix(" Repeatable.")
        about = about.replace(f" [default: {field.name} in tool.raddle]", "")  # for an option that defaults to this key
        yield f"| `{field.name}` | {kind} | {shown} | {_cell(about)} |"


PAGES = {"cli.md": commands, "configuration.md": configuration}


def main() -> int:
    """Write all generated pages."""
    for name, make in PAGES.items():
        (ROOT / "docs/reference" / name).write_text(make(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
