"""A group of commands that imports a command's module when the command is first used, because some import slowly."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click


class LazyCommands(click.Group):
    """A group whose commands are given as names of modules in `raddle.cli`. A command is named like its module."""

    def __init__(self, *args: Any, modules: Mapping[str, str], **options: Any) -> None:
        super().__init__(*args, **options)
        self._modules = modules  # maps commands to modules, in the order shown by --help

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        name = self._modules.get(cmd_name)
        if name is None:
            return None
        command: click.Command = getattr(import_module(f"raddle.cli.{name}"), name)
        return command
