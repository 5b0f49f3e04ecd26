"""The subjects V11 to V20: classes that claim to be thread-safe, and the calls that expose their bugs."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from dataclasses import dataclass

from raddle_lab.class_subject import ClassSubject
from raddle_lab.classes import day as days
from raddle_lab.classes import null_appender
from raddle_lab.classes.appender_list import MemoryAppender
from raddle_lab.classes.appender_skeleton import Layout, LogEvent, Priority
from raddle_lab.classes.day import DateFormat
from raddle_lab.classes.file_appender import MemoryFile
from raddle_lab.classes.fixed import null_appender as fixed_null_appender
from raddle_lab.classes.series import SeriesRecorder

Calls = Callable[[], object]


@dataclass(frozen=True, slots=True)
class TwoThreads:
    """Makes scenarios in which two threads call methods of one object."""

    prepare: Callable[[type], tuple[Calls, Calls]]  # given the class, makes an object; returns the threads' calls

    def __call__(self, cls: type) -> Callable[[], None]:
        """Return the scenario for a class."""

        def scenario() -> None:
            threads = [threading.Thread(target=calls) for calls in self.prepare(cls)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        return scenario


def _day(cls: type) -> tuple[Calls, Calls]:
    return lambda: cls.parse_day("1"), lambda: cls.parse_day("J")


def _number_axis(cls: type) -> tuple[Calls, Calls]:
    axis = cls("X")
    return lambda: axis.center_range(-1.0), lambda: axis.center_range(-1.0)


def _period_axis(cls: type) -> tuple[Calls, Calls]:
    axis = cls("Y")
    return lambda: axis.get_range(), lambda: axis.set_upper_bound(1.0)


def _time_series(cls: type) -> tuple[Calls, Calls]:
    series = cls()

    def add_two() -> None:
        series.add(3, 3.0)
        series.add(4, 4.0)

    return lambda: series.add(1, 1.0), add_two


def _xy_plot(cls: type) -> tuple[Calls, Calls]:
    plot = cls()
    return lambda: plot.clone(), lambda: plot.map_dataset_to_domain_axis(1, 3)


def _xy_series(cls: type) -> tuple[Calls, Calls]:
    series = cls()
    series.add_change_listener(SeriesRecorder())
    listener = SeriesRecorder()
    return lambda: series.fire_series_changed(), lambda: series.add_change_listener(listener)


def _appender_list(cls: type) -> tuple[Calls, Calls]:
    appenders = cls()
    appenders.add_appender(MemoryAppender())
    return lambda: appenders.append_loop_on_appenders("event"), lambda: appenders.remove_all_appenders()


def _file_appender(cls: type) -> tuple[Calls, Calls]:
    appender = cls(Layout())
    appender.set_writer(MemoryFile())
    return lambda: appender.append(LogEvent("message")), lambda: appender.close()


def _null_appender(cls: type) -> tuple[Calls, Calls]:
    appender = cls()
    appender.set_threshold(Priority.DEBUG)
    return lambda: appender.is_as_severe_as_threshold(Priority.INFO), lambda: appender.set_threshold(None)


def _xstream(cls: type) -> tuple[Calls, Calls]:
    xstream = cls()
    xstream.to_xml(1)
    return lambda: xstream.to_xml("a"), lambda: xstream.create_object_output_stream(io.StringIO())


def reset_day_formats() -> None:
    """Replace the formats that all days share, which keep the state of an interrupted call."""
    for name in ("DATE_FORMAT", "DATE_FORMAT_SHORT", "DATE_FORMAT_MEDIUM", "DATE_FORMAT_LONG"):
        used: DateFormat = getattr(days.Day, name)
        setattr(days.Day, name, DateFormat(used.order, used.separator))


def reset_shared_appenders() -> None:
    """Replace the appenders that `NullAppender.get_instance` returns."""
    for module in (null_appender, fixed_null_appender):
        module.NullAppender.instance = module.NullAppender()


SUBJECTS: tuple[ClassSubject, ...] = (
    ClassSubject(
        id="V11",
        project="JFreeChart",
        version="1.0.13",
        published_name="Day",
        label="data race",
        fields=20,
        methods=26,
        lines=271,
        target="raddle_lab.classes.day:Day",
        fixed="raddle_lab.classes.fixed.day:Day",
        exposing=TwoThreads(_day),
        symptoms=("ValueError",),
        calls='parse_day("1") | parse_day("J")',
        reset=reset_day_formats,
    ),
    ClassSubject(
        id="V12",
        project="JFreeChart",
        version="0.9.12",
        published_name="NumberAxis",
        label="atomicity",
        fields=43,
        methods=110,
        lines=1637,
        target="raddle_lab.classes.number_axis:NumberAxis",
        fixed="raddle_lab.classes.fixed.number_axis:NumberAxis",
        exposing=TwoThreads(_number_axis),
        symptoms=("ValueError",),
        calls="center_range(-1.0) | center_range(-1.0)",
    ),
    ClassSubject(
        id="V13",
        project="JFreeChart",
        version="1.0.1",
        published_name="PeriodAxis",
        label="data race",
        fields=45,
        methods=125,
        lines=1681,
        target="raddle_lab.classes.period_axis:PeriodAxis",
        fixed="raddle_lab.classes.fixed.period_axis:PeriodAxis",
        exposing=TwoThreads(_period_axis),
        symptoms=("ValueError",),
        calls="get_range() | set_upper_bound(1.0)",
    ),
    ClassSubject(
        id="V14",
        project="JFreeChart",
        version="0.9.8",
        published_name="TimeSeries",
        label="data race",
        fields=12,
        methods=41,
        lines=331,
        target="raddle_lab.classes.time_series:TimeSeries",
        fixed="raddle_lab.classes.fixed.time_series:TimeSeries",
        exposing=TwoThreads(_time_series),
        symptoms=("AttributeError",),
        calls="add(1, 1.0) | add(3, 3.0); add(4, 4.0)",
    ),
    ClassSubject(
        id="V15",
        project="JFreeChart",
        version="1.0.9",
        published_name="XYPlot",
        label="data race",
        fields=84,
        methods=217,
        lines=2788,
        target="raddle_lab.classes.xy_plot:XYPlot",
        fixed="raddle_lab.classes.fixed.xy_plot:XYPlot",
        exposing=TwoThreads(_xy_plot),
        symptoms=("RuntimeError",),
        calls="clone() | map_dataset_to_domain_axis(1, 3)",
    ),
    ClassSubject(
        id="V16",
        project="JFreeChart",
        version="0.9.8",
        published_name="XYSeries",
        label="data race",
        fields=7,
        methods=25,
        lines=198,
        target="raddle_lab.classes.xy_series:XYSeries",
        fixed="raddle_lab.classes.fixed.xy_series:XYSeries",
        exposing=TwoThreads(_xy_series),
        symptoms=("RuntimeError",),
        calls="fire_series_changed() | add_change_listener(listener)",
    ),
    ClassSubject(
        id="V17",
        project="Log4j",
        version="1.2.13",
        published_name="AppenderAttachableImpl",
        label="data race",
        fields=1,
        methods=8,
        lines=92,
        target="raddle_lab.classes.appender_list:AppenderList",
        fixed="raddle_lab.classes.fixed.appender_list:AppenderList",
        exposing=TwoThreads(_appender_list),
        symptoms=("AttributeError", "IndexError"),
        calls='append_loop_on_appenders("event") | remove_all_appenders()',
    ),
    ClassSubject(
        id="V18",
        project="Log4j",
        version="1.2.13",
        published_name="FileAppender",
        label="atomicity",
        fields=7,
        methods=33,
        lines=410,
        target="raddle_lab.classes.file_appender:FileAppender",
        fixed="raddle_lab.classes.fixed.file_appender:FileAppender",
        exposing=TwoThreads(_file_appender),
        symptoms=("AttributeError",),
        calls="append(event) | close()",
    ),
    ClassSubject(
        id="V19",
        project="Log4j",
        version="1.2.13",
        published_name="NullAppender",
        label="atomicity",
        fields=8,
        methods=19,
        lines=138,
        target="raddle_lab.classes.null_appender:NullAppender",
        fixed="raddle_lab.classes.fixed.null_appender:NullAppender",
        exposing=TwoThreads(_null_appender),
        symptoms=("AttributeError",),
        calls="is_as_severe_as_threshold(priority) | set_threshold(None)",
        reset=reset_shared_appenders,
    ),
    ClassSubject(
        id="V20",
        project="XStream",
        version="1.4.1",
        published_name="XStream",
        label="atomicity",
        fields=88,
        methods=66,
        lines=798,
        target="raddle_lab.classes.xstream:XStream",
        fixed="raddle_lab.classes.fixed.xstream:XStream",
        exposing=TwoThreads(_xstream),
        symptoms=("AttributeError",),
        calls='to_xml("a") | create_object_output_stream(output)',
    ),
)
