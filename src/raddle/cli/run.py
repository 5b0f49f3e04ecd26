"""`raddle run`: run a program as Python would, and measure the interleavings of its threads."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from click.globals import pop_context, push_context

from raddle import config
from raddle.checks.warning_texts import warning_sentence
from raddle.cli.options import (
    NO_CRITERIA,
    added_data_option,
    all_warnings_option,
    given,
    module_option,
    pinv_occurrences,
    thread_methods,
)
from raddle.cli.repetition_request import GOALS, RUNS, SATURATION, Request
from raddle.cli.safe_text import safe_text
from raddle.cli.screen import console, show_coverage
from raddle.criteria import DEFAULT, resolve_for_threads
from raddle.criterion_settings import PINV_OCCURRENCES, CriterionSettings
from raddle.entities import METHODS
from raddle.errors import UsageError
from raddle.instrument.labels import naming_root
from raddle.measuring.recording import NATIVE
from raddle.native import child_processes
from raddle.native.measuring_sink import MeasuringSink
from raddle.native.noise import Noise
from raddle.native.process_group import ProcessGroup
from raddle.native.program import INTERRUPTED, Program
from raddle.native.settings import Settings
from raddle.native.shutdown import Shutdown
from raddle.native.watch import Watch
from raddle.report.coverage import as_json as row_as_json
from raddle.report.coverage import rows
from raddle.store import DATA_FILE, Contents, Run, UnusableError, check, contents_of, forget_notes
from raddle.thread_scenario import check_source, check_thread_methods, project_root
from raddle.wording import count


class _LikePython(click.Command):
    """A command that passes all arguments after the script or `-m module` to the program, including options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, self._ended(args))

    def _ended(self, args: Sequence[str]) -> list[str]:
        flags = {name for parameter in self.params for name in parameter.opts if getattr(parameter, "is_flag", False)}
        index = 0
        while index < len(args) and args[index].startswith("-") and args[index] not in ("-", "--"):
            arg = args[index]
            takes_next = arg not in flags and "=" not in arg and not (arg.startswith("-m") and arg != "-m")
            index += 2 if takes_next else 1
            if index > len(args) and arg == "-m":
                raise UsageError("no-program", "-m needs the name of a module: raddle run -m module arguments")
            if arg.startswith("-m"):
                return [*args[:index], "--", *args[index:]]
        return list(args)


@click.command(
    cls=_LikePython,
    short_help="Run a program as Python would, and measure its interleavings.",
    context_settings={"allow_interspersed_args": False},
)
@module_option
@click.option(
    "--source",
    multiple=True,
    metavar="NAME",
    help="Package, module, folder or file to instrument [default: the project that contains the script]. Repeatable.",
)
@click.option(
    "--noise",
    multiple=True,
    metavar="KIND[:OPTIONS]",
    help="Add random delays: yield, sleep, busy or switch-interval, for example "
    "sleep:where=shared,probability=0.1,strength=5 (where: everywhere, shared or locks; strength: milliseconds). "
    "Repeatable.",
)
@click.option(
    "--criteria",
    metavar="NAMES",
    help=f"Comma-separated criteria to measure, or {NO_CRITERIA} [default: {', '.join(DEFAULT)}].",
)
@thread_methods
@pinv_occurrences
@added_data_option
@click.option("--seed", type=click.IntRange(min=0), help="Seed for the noise [default: 1].")
@click.option(
    "--until",
    type=click.Choice(GOALS),
    help="Repeat the program with the same noise and a different seed each time, until coverage is saturated or the "
    "budget is spent [default: run the program once]. The output of a repeated program is not shown.",
)
@click.option("--runs", type=click.IntRange(min=1), help=f"With --until: maximum number of runs [default: {RUNS}].")
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), help="With --until: time limit for all runs.")
@click.option(
    "--saturation",
    type=click.IntRange(min=1),
    help="With --until saturated: stop when this many runs in a row, and at least half of all runs so far, have "
    f"covered nothing new [default: {SATURATION}].",
)
@click.option(
    "--run-seconds",
    type=click.FloatRange(min=0, min_open=True),
    help="With --until: time limit for one run [default: 600 until a run has ended; then 10 times the longest run so "
    "far, but at least 30].",
)
@all_warnings_option
@click.option("--json", "as_json", is_flag=True, help="Print a JSON summary as the last line of stdout.")
@click.option("--json-file", metavar="FILE", help="Write the JSON summary to this file instead of stdout.")
@click.argument("program", nargs=-1, type=click.UNPROCESSED, metavar="(SCRIPT | -m MODULE) [ARGUMENT]...")
def run(
    module: str | None,
    program: tuple[str, ...],
    as_json: bool,
    json_file: str | None,
    until: str | None,
    verbose: bool | None,
    **options: Any,
) -> int:
    """Run a program (script.py or -m MODULE, followed by its arguments) as Python would, and measure what its threads
    cover. raddle does not change the program's output or exit code, and prints a summary on stderr. With --until,
    raddle repeats the program and exits with code 1 if a run failed."""
    target = _program(module, program)
    request = Request.of(until, options)
    project = config.load(Path.cwd())
    settings = _settings(target, project.options() | given(**options))
    verbose = verbose or bool(project.verbose)
    target.check()
    if request is not None:
        from raddle.cli.repeat import repeat_program  # not needed for programs that run once

        command = ("-m", module, *program) if module is not None else program
        return repeat_program(command, settings, request, as_json=as_json, json_file=json_file, verbose=verbose)
    child_processes.cancel_inherited_watch()
    if settings.criteria:
        folder, first = ProcessGroup.create_folder()
        settings = replace(settings, family=folder, first=first)
    watch = settings.make_watch()
    summary = Summary(watch, settings, as_json=as_json, json_file=json_file, verbose=verbose)
    shutdown = Shutdown(watch, summary.show)
    shutdown.prepare()
    child_processes.prepare_environment(settings)
    watch.start()
    try:
        with _outside_click():
            code = target.run(watch.hook)
    except UsageError:
        shutdown.cancel()
        summary.end()
        raise
    shutdown.interrupted = code == INTERRUPTED
    return code


@contextmanager
def _outside_click() -> Iterator[None]:
    """Hide this command's click contexts from the program, which may use click itself."""
    contexts = []
    while (context := click.get_current_context(silent=True)) is not None:
        contexts.append(context)
        pop_context()
    try:
        yield
    finally:
        for context in reversed(contexts):
            push_context(context)


def _program(module: str | None, rest: tuple[str, ...]) -> Program:
    if module is not None:
        return Program(module, rest, is_module=True)
    if not rest:
        raise UsageError("no-program", "name a program: raddle run script.py, or raddle run -m module")
    return Program(rest[0], rest[1:])


def _settings(program: Program, options: dict[str, Any]) -> Settings:
    for text in options.get("noise", ()):
        Noise.parse(text)
    thread_methods = options.get("thread_methods", METHODS)
    check_thread_methods(thread_methods)
    sources = tuple(options.get("source", ()))
    for name in sources:
        check_source(name)
    criteria: Any = options.get("criteria") or DEFAULT
    data_file = os.path.abspath(options.get("data_file") or DATA_FILE)
    measured = () if criteria == NO_CRITERIA else resolve_for_threads(criteria)
    if measured:
        with suppress(UnusableError):  # an unusable data file is reported later; the program runs anyway
            check(data_file)  # raises a `UsageError` now if this is not a data file
            forget_notes(data_file)
    criteria_settings = CriterionSettings(options.get("pinv_occurrences", PINV_OCCURRENCES))
    script = None if program.is_module else os.path.realpath(program.name)
    folder = os.getcwd() if script is None else script if os.path.isdir(script) else os.path.dirname(script)
    root = project_root(folder)
    return Settings(
        program=str(program),
        sources=tuple(os.path.abspath(name) if os.path.exists(name) else name for name in sources),
        root=root,
        named_from=naming_root(root, data_file),
        noise=tuple(options.get("noise", ())),
        seed=options.get("seed") or 1,
        criteria=measured,
        thread_methods=thread_methods,
        pinv_occurrences=criteria_settings.pinv_occurrences,
        data_file=data_file if measured else None,
    )


class Summary:
    """The summary printed after the program has ended."""

    def __init__(
        self, watch: Watch, settings: Settings, *, as_json: bool, json_file: str | None, verbose: bool
    ) -> None:
        self._watch = watch
        self._settings = settings
        self._as_json = as_json
        self._verbose = verbose
        self._json_file = os.path.abspath(json_file) if json_file is not None else None
        self._family = ProcessGroup(settings.family, settings.first)
        self._processes = 1
        self._explored: list[Run] = []  # explorations that the program itself ran
        self._contents: Contents | None = None  # measurements of all processes

    def show(self) -> None:
        """Combine the measurements of all processes and print the summary."""
        try:
            self._gather()
            self._print()
        finally:
            self.end()

    def end(self) -> None:
        self._family.remove_folder()

    def _gather(self) -> None:
        own = self._sink.record if self._sink is not None else None
        self._contents = self._family.merged(own)
        if self._contents is not None:
            self._explored = [run for run in self._contents.runs if run.mode != NATIVE]
            self._processes = len(self._contents.runs) - len(self._explored) + (own is None)
        elif own is not None:
            self._contents = contents_of(own)

    def _print(self) -> None:
        if self._json_file is None and not self._as_json:
            self._print_text()
            return
        try:
            if self._json_file is not None:
                Path(self._json_file).write_text(json.dumps(self._data(), indent=2) + "\n", encoding="utf-8")
            else:  # start a new line, because the program's last line may be unfinished
                print("\n" + json.dumps(self._data()), file=sys.stdout, flush=True)
        except OSError as error:
            where = self._json_file or "the output"
            raise UsageError("output-unwritable", f"{where} cannot be written: {error.strerror or error}") from None

    @property
    def _sink(self) -> MeasuringSink | None:
        sink = self._watch.stream.sink
        return sink if isinstance(sink, MeasuringSink) else None

    def _notes(self) -> list[str]:
        trouble = self._watch.stream.error
        notes = list(self._sink.notes) if self._sink is not None else []
        notes += [note for note in self._contents.notes if note not in notes] if self._contents is not None else []
        if self._sink is not None and self._sink.not_stored:
            notes.append(self._sink.not_stored)
        if trouble is not None:
            notes.append(f"internal error: recording stopped early, but the program continued: {trouble!r}")
        return notes

    def _data(self) -> dict[str, Any]:
        watch, contents = self._watch, self._contents
        covered = rows(contents, names=self._settings.criteria) if contents is not None else []
        return {
            "program": self._settings.program,
            "processes": self._processes,
            "threads": watch.recorder.threads,
            "steps": watch.stream.delivered_steps,
            "explorations": len(self._explored),
            "explored_executions": sum(run.executions for run in self._explored),
            "seed": self._settings.seed,
            "data_file": self._settings.data_file,
            "criteria": {row.name: row_as_json(row) for row in covered},
            "warnings": []
            if contents is None
            else [
                {**warning.as_json(), "sentence": warning_sentence(warning, contents.sites)}
                for warning in contents.warnings
            ],
            "notes": self._notes(),
            "not_instrumented": [refused.as_json() for refused in watch.not_instrumented],
        }

    def _print_text(self) -> None:
        screen, watch = console(), self._watch
        for note in self._notes():
            screen.print(safe_text(f"note: {note}", style="yellow"))
        for refused in watch.not_instrumented:
            screen.print(safe_text(str(refused), style="yellow"))
        threads, steps = watch.recorder.threads, watch.stream.delivered_steps
        noise = f", seed {self._settings.seed}" if self._settings.noise else ""
        screen.print(
            safe_text(
                f"raddle: {count(threads, 'thread')}, {count(steps, 'step')}{noise}{self._others}",
                style="bold",
            )
        )
        if self._contents is not None and self._settings.data_file is not None:
            data_file = os.path.relpath(self._settings.data_file)
            show_coverage(screen, self._contents, data_file, stored=self._is_stored, verbose=self._verbose)
        elif self._nothing:
            screen.print(safe_text(self._nothing, style="yellow"))

    @property
    def _is_stored(self) -> bool:
        return self._sink is None or not self._sink.not_stored

    @property
    def _others(self) -> str:
        others = self._processes - 1
        text = (
            f" in the first process; also measured: {count(others, 'more process', 'more processes')}" if others else ""
        )
        if self._explored:
            executions = count(sum(run.executions for run in self._explored), "execution")
            text += f"; {count(len(self._explored), 'exploration')} run by the program, with {executions}"
        return text

    @property
    def _nothing(self) -> str:
        """Why nothing was measured although criteria were given; "" if something was measured."""
        if self._sink is None or self._watch.stream.error is not None:
            return ""
        sources = self._settings.sources or (self._settings.root,)
        if self._watch.hook.instrumented:
            return "nothing was measured: the code that ran contains nothing that threads can share"
        ran = f"no code in {', '.join(sources)} was run"
        return f"nothing was measured: {ran}; use --source to name the code to measure"
