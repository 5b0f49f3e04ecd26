"""`raddle mpi`: test message-passing programs."""

from __future__ import annotations

import click

from raddle.cli.lazy_commands import LazyCommands

# Maps commands to modules, in the order shown by --help.
COMMANDS = {
    "explore": "mpi_explore",
    "run": "mpi_run",
    "replay": "mpi_replay",
    "pcfg": "mpi_pcfg",
    "mutate": "mpi_mutate",
}


@click.group(cls=LazyCommands, modules=COMMANDS, short_help="Test message-passing programs.")
def mpi() -> None:
    """Test programs that use mpi4py. Neither MPI nor mpi4py has to be installed: raddle runs all ranks in one process
    and decides which message each receive takes."""
