"""`raddle mpi`: test message-passing programs."""

from __future__ import annotations

from importlib import import_module

import click

# Maps commands to modules, in the order shown by --help. A module is imported on first use.
COMMANDS = {
    "explore": "mpi_explore",
    "run": "mpi_run",
    "replay": "mpi_replay",
    "pcfg": "mpi_pcfg",
    "mutate": "mpi_mutate",
}


class MpiCommands(click.Group):
    """The commands for message-passing programs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        name = COMMANDS.get(cmd_name)
        if name is None:
            return None
        command: click.Command = getattr(import_module(f"raddle.cli.{name}"), name)
        return command


@click.group(cls=MpiCommands, short_help="Test message-passing programs.")
def mpi() -> None:
    """Test programs that use mpi4py. Neither MPI nor mpi4py has to be installed: raddle runs all ranks in one process
    and decides which message each receive takes."""
