"""`raddle.messages.graph`: the parallel control flow graph of a program, and questions about it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from raddle.errors import UsageError
from raddle.messages.scenario import check_program
from raddle.mpi.graph_of_script import add_sites, graph_of
from raddle.mpi.program import Script
from raddle.pcfg.graph import Options, Pcfg, SyncEdge
from raddle.pcfg.matching import TransferAt, in_process
from raddle.site import Site, SiteTable, disambiguated

_END = re.compile(r"(?:(?P<file>[^\s:]+):)?(?P<line>\d+)(?:\s+(?:in\s+)?(?:the\s+)?(?P<process>.+))?")


def graph(program: str | os.PathLike[str], options: Options) -> Pcfg:
    """Return the parallel control flow graph of a program file."""
    check_program(program)
    return graph_of(Script(os.fspath(program)), options)


def sites_of(pcfg: Pcfg) -> Mapping[int, Site]:
    """Return the sites of all statements in a graph."""
    table = SiteTable()
    for source in pcfg.sources:
        add_sites(table, source, source.file)
    return disambiguated({number: table[number] for number in table})


class Answer(NamedTuple):
    """Whether a send and a receive form a sync-edge."""

    pair: SyncEdge
    reason: str  # why the pair is eliminated; "" if it is a sync-edge

    def __str__(self) -> str:
        send, receive = self.pair.send, self.pair.receive
        ends = (
            f"send at {send.at} in {in_process(send.process)}, receive at {receive.at} in {in_process(receive.process)}"
        )
        return f"{ends}: {f'eliminated, because {self.reason}' if self.reason else 'a sync-edge'}"


def why(pcfg: Pcfg, question: str) -> list[Answer]:
    """Return for each pair of a send and a receive that the question names whether it is a sync-edge.

    A question names the lines of a send and a receive, and perhaps their processes: "12 master, 36 worker 2".
    """
    parts = [part.strip() for part in question.split(",")]
    matches = [_END.fullmatch(part) for part in parts]
    if len(parts) != 2 or None in matches:
        raise UsageError(
            "bad-pair",
            f"a pair is written as '12 master, 36 worker 2', with the lines of a send and a receive; "
            f"not as {question!r}",
        )
    send, receive = (_End.of(match) for match in matches if match is not None)
    found = [pair for pair in pcfg.raw_pairs() if send.fits(pair.send) and receive.fits(pair.receive)]
    if not found:
        raise UsageError("bad-pair", f"{question!r} names no send and receive of different processes; {_known(pcfg)}")
    return list(_answers(pcfg, found))


def _answers(pcfg: Pcfg, pairs: list[SyncEdge]) -> Iterator[Answer]:
    for pair in pairs:
        elimination = pcfg.elimination(pair)
        yield Answer(pair, "" if elimination is None else elimination.reason)


class _End(NamedTuple):
    """One end of a pair in a question."""

    file: str | None
    line: int
    process: str | None

    @classmethod
    def of(cls, match: re.Match[str]) -> _End:
        """Return the end that a match describes."""
        return cls(match["file"], int(match["line"]), match["process"])

    def fits(self, transfer: TransferAt) -> bool:
        """Return whether a transfer is the one that the question means."""
        return (
            self.line == transfer.line
            and self.file in (None, transfer.file)
            and self.process in (None, transfer.process)
        )


def _known(pcfg: Pcfg) -> str:
    pairs = list(pcfg.raw_pairs())
    sends = [f"{line} {name}" for line, name in sorted({(pair.send.line, pair.send.process) for pair in pairs})]
    receives = [
        f"{line} {name}" for line, name in sorted({(pair.receive.line, pair.receive.process) for pair in pairs})
    ]
    return f"sends: {', '.join(sends) or 'none'}; receives: {', '.join(receives) or 'none'}"
