"""`raddle search`: find the configuration that covers the most."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.live import Live

from raddle import config
from raddle.cli.options import added_data_option, given, module_option, setup_option, shared_options, shrink_option
from raddle.cli.output import exit_code, survive_closed_pipe
from raddle.cli.run import _LikePython
from raddle.cli.safe_text import safe_text
from raddle.cli.screen import console, report_command
from raddle.cli.search_subject import (
    COMMAND_ONLY,
    EXECUTIONS_OF_COMMAND,
    EXECUTIONS_OF_SCENARIO,
    SCENARIO_ONLY,
    CommandSubject,
    ScenarioSubject,
    Subject,
)
from raddle.criteria import resolve_for_threads
from raddle.errors import UsageError
from raddle.execute.interrupts import termination_interrupts
from raddle.exit_code import ExitCode
from raddle.report.searched import Searched
from raddle.store import DATA_FILE, UnusableError, check
from raddle.thread_scenario import SWITCHES
from raddle.tuning.algorithms import ALGORITHMS
from raddle.tuning.configurations import Configuration
from raddle.tuning.fitness import Fitness
from raddle.tuning.search import Evaluation, Limits, Search, SearchEnd, SearchResult
from raddle.wording import count

EVALUATIONS, SATURATION = 200, 20  # default values of --evaluations and --saturation
SHOWN = 5  # number of configurations in the table


class _ScenarioOrProgram(_LikePython):
    """A command that accepts options after a scenario, but passes all arguments after a program to the program."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        chosen, _, _ = self.make_parser(ctx).parse_args(self._ended(args))
        program = chosen.get("program")
        if chosen.get("module") is None and isinstance(program, tuple) and program and "::" in program[0]:
            ctx.allow_interspersed_args = True
        return super().parse_args(ctx, args)


@click.command(
    cls=_ScenarioOrProgram,
    short_help="Find the configuration that covers the most.",
    context_settings={"allow_interspersed_args": False},
)
@module_option
@click.option(
    "--algorithm", type=click.Choice(list(ALGORITHMS)), default="genetic", help="Search algorithm [default: genetic]."
)
@click.option(
    "--fitness",
    metavar="SUM",
    default="default",
    help="Weighted sum of criteria to maximize, for example map+2*hbpair* [default: the sum of the default criteria].",
)
@click.option("--criteria", metavar="NAMES", help="Comma-separated additional criteria to measure.")
@click.option(
    "--evaluations",
    type=click.IntRange(min=1),
    help=f"Maximum number of configurations to evaluate [default: {EVALUATIONS}].",
)
@click.option(
    "--repeat",
    type=click.IntRange(min=1),
    help=f"Executions per configuration [default: {EXECUTIONS_OF_SCENARIO} for a scenario, {EXECUTIONS_OF_COMMAND} for "
    "a program].",
)
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), help="Time limit for the search, in seconds.")
@click.option(
    "--saturation",
    type=click.IntRange(min=1),
    default=SATURATION,
    help="Stop when this many evaluations in a row, and at least a quarter of all evaluations so far, have covered "
    f"nothing new [default: {SATURATION}].",
)
@click.option("--seed", type=click.IntRange(min=0), help="Seed for the search [default: 1].")
@added_data_option
@click.option("--save", metavar="FILE", help="Write the best configuration to this file, as TOML for pyproject.toml.")
@click.option("--run-seconds", type=click.FloatRange(min=0, min_open=True), help="Time limit for one run of a program.")
@click.option(
    "--switches",
    type=click.Choice(SWITCHES),
    help="Where the threads of a scenario may switch [default: free-threaded].",
)
@shrink_option
@setup_option
@click.argument("program", nargs=-1, type=click.UNPROCESSED, metavar="(SCENARIO | SCRIPT | -m MODULE) [ARGUMENT]...")
@shared_options
def search(module: str | None, program: tuple[str, ...], as_json: bool, **options: Any) -> int:
    """Find the scheduler that covers the most in a scenario (file.py::function), or the noise that covers the most in a
    program (script.py or -m MODULE, followed by its arguments). The search stops when coverage no longer grows."""
    command = ("-m", module, *program) if module is not None else program
    if not command:
        raise UsageError("no-program", "name a scenario or a program: raddle search file.py::scenario, or script.py")
    is_scenario = module is None and "::" in command[0]
    options = _relevant_options(is_scenario, given(**options))
    options["fitness"] = Fitness.parse(options["fitness"])
    options["criteria"] = _measured(options["fitness"], options.get("criteria"))
    _check_files(options)
    subject: Subject = ScenarioSubject(command, options) if is_scenario else CommandSubject(command, options)
    screen = console()
    with termination_interrupts():
        found = _search(subject, options, _Line(screen, shown=screen.is_terminal and not as_json))
    searched = Searched(
        what=subject.what,
        is_scenario=is_scenario,
        found=found,
        fitness=options["fitness"],
        algorithm=options["algorithm"],
        seed=options["seed"],
        executions=subject.executions,
        criteria=options["criteria"],
        rows=subject.rows(),
    )
    unsaved = _save(searched, options)
    if as_json:
        not_stored = subject.runs.not_stored or None
        extra = {"data_file": options["data_file"], "notes": list(subject.runs.notes), "not_stored": not_stored}
        with survive_closed_pipe():
            click.echo(json.dumps(searched.as_json(subject.findings()) | extra, indent=2))
    else:
        _show(screen, searched, subject, options)
    if unsaved is not None:  # the error is raised only after the results have been shown
        raise unsaved
    return _exit_code(searched, subject)


def _save(searched: Searched, options: dict[str, Any]) -> UsageError | None:
    """Write the best configuration to the --save file, if one was given; return an error if that fails."""
    if "save" not in options or searched.winner is None:
        return None
    try:
        Path(options["save"]).write_text(searched.exported(), encoding="utf-8")
    except OSError as error:
        return _cannot_be_saved(options.pop("save"), error.strerror or str(error))
    return None


def _relevant_options(is_scenario: bool, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options for this kind of search, including those in [tool.raddle].

    Raise a `UsageError` for options that apply only to the other kind of search.
    """
    wrong = [name for name in (COMMAND_ONLY if is_scenario else SCENARIO_ONLY) if name in options]
    if wrong:
        option, kind = wrong[0].replace("_", "-"), "programs" if is_scenario else "scenarios (file.py::function)"
        raise UsageError("bad-search", f"--{option} only applies to {kind}")
    settings = config.load(Path.cwd()).options()
    common = ("seed", "source", "data_file", *(SCENARIO_ONLY if is_scenario else ()))
    defaults = {"seed": 1, "data_file": DATA_FILE, "evaluations": EVALUATIONS}
    return defaults | {name: settings[name] for name in common if name in settings} | options


def _check_files(options: dict[str, Any]) -> None:
    """Raise a `UsageError` before the search if the results could not be written afterwards."""
    with suppress(UnusableError):  # an unusable data file is reported later; findings are printed anyway
        check(options["data_file"])
    if "save" not in options:
        return
    save = Path(options["save"]).absolute()
    if save.is_dir() or not save.parent.is_dir():
        raise UsageError(
            "no-such-file", f"{options['save']} cannot be written: it is a folder, or its folder does not exist"
        )
    if not os.access(save if save.exists() else save.parent, os.W_OK):
        raise _cannot_be_saved(options["save"], "permission denied")


def _cannot_be_saved(file: str, why: str) -> UsageError:
    return UsageError("output-unwritable", f"{file} cannot be written: {why}; name another file with --save")


def _measured(fitness: Fitness, extra: str | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*fitness.criteria, *(resolve_for_threads(extra) if extra else ())]))


def _search(subject: Subject, options: dict[str, Any], line: _Line) -> SearchResult[Configuration]:
    limits = Limits(options["evaluations"], options.get("seconds"), options["saturation"])
    with line:
        return Search(
            subject.space,
            subject.evaluate,
            fitness=options["fitness"].of,
            algorithm=ALGORITHMS[options["algorithm"]],
            seed=options["seed"],
            limits=limits,
            first=subject.first,
            progress=lambda evaluation: line.show(evaluation, len(subject.findings())),
        ).run()


class _Line:
    """A progress line, shown only on a terminal. No thread is started: each evaluation redraws the line."""

    def __init__(self, screen: Console, *, shown: bool) -> None:
        self._status = Live(safe_text("searching"), console=screen, auto_refresh=False, transient=True)
        self._shown = shown
        self._best = 0.0
        self._covered = 0

    def __enter__(self) -> None:
        if self._shown:
            self._status.start(refresh=True)

    def __exit__(self, *error: object) -> None:
        self._status.stop()

    def show(self, evaluation: Evaluation[Configuration], failures: int) -> None:
        self._best = max(self._best, evaluation.fitness)
        self._covered += evaluation.new
        if self._shown:
            found = f"best fitness {self._best:g}, {count(self._covered, 'requirement')} covered"
            text = f"{count(evaluation.number, 'evaluation')}, {found}, {count(failures, 'failure')}"
            self._status.update(safe_text(text), refresh=True)


def _show(screen: Console, searched: Searched, subject: Subject, options: dict[str, Any]) -> None:
    subject.show_findings(screen)
    for note in subject.runs.notes:
        screen.print(safe_text(f"note: {note}", style="yellow"))
    for refused in subject.runs.not_instrumented:
        screen.print(safe_text(str(refused), style="yellow"))
    winner = searched.winner
    if winner is not None:
        for number, line in enumerate(searched.table(SHOWN)):
            screen.print(safe_text(line, style="" if number else "bold"))
        screen.print()
    first, *others = searched.sentences()
    screen.print(safe_text(first, style="bold red" if subject.findings() else "bold green"))
    for sentence in others:
        screen.print(safe_text(sentence))
    if winner is not None:
        screen.print(safe_text(f"best: {searched.command(winner.configuration)}", style="bold"))
        if "save" in options:
            screen.print(safe_text(f"saved to {options['save']}", style="dim"))
    if not subject.runs.not_stored:
        data_file = options["data_file"]
        screen.print(safe_text(f"added to {data_file}: `{report_command(data_file)}` shows more", style="dim"))


def _exit_code(searched: Searched, subject: Subject) -> int:
    interrupted = searched.found.stopped_because is SearchEnd.INTERRUPTED
    code = exit_code(found=bool(subject.findings()), interrupted=interrupted, not_stored=subject.runs.not_stored)
    return code if code or searched.winner is not None else ExitCode.NOTHING_TO_DO
