"""The classes V11 to V20 have the bugs that the papers describe, and their fixed versions do not."""

from __future__ import annotations

import datetime
import importlib
import io
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from raddle_lab.class_subject import ClassSubject
from raddle_lab.class_subjects_second import SUBJECTS, TwoThreads
from raddle_lab.classes.appender_list import MemoryAppender
from raddle_lab.classes.appender_skeleton import ErrorHandler, Filter, Layout, LogEvent, Priority
from raddle_lab.classes.axis import AxisRecorder, FixedPlot
from raddle_lab.classes.file_appender import MemoryFile, MemoryFiles
from raddle_lab.classes.series import SeriesError, SeriesRecorder
from raddle_lab.classes.time_period import DayPeriod, HourPeriod
from raddle_lab.classes.value_range import Range
from raddle_lab.classes.xml_converters import ConversionError
from raddle_lab.classes.xstream import Mode
from raddle_lab.classes.xy_plot import Annotation, Dataset, Layer, Marker, PlotAxis, PlotRecorder, Renderer

import raddle
from raddle.result import Result

SUBJECT_OF = {subject.id: subject for subject in SUBJECTS}
VERSIONS = ("target", "fixed")

# The inherited settings of these classes are so many that a smaller share of them suffices.
MINIMUM_OF_LARGE_CLASSES = {"V12": 50, "V13": 50, "V15": 80, "V20": 35}
MINIMUM_SHARE = 0.6

each_subject = pytest.mark.parametrize("subject", SUBJECTS, ids=SUBJECT_OF)
each_version = pytest.mark.parametrize("version", VERSIONS)


def loaded(target: str) -> type:
    module, name = target.split(":")
    return getattr(importlib.import_module(module), name)


def version_of(identifier: str, version: str) -> type:
    return loaded(getattr(SUBJECT_OF[identifier], version))


def explored(subject: ClassSubject, cls: type, **options: object) -> Result:
    return raddle.explore(
        subject.exposing(cls), seed=1, source=["raddle_lab"], setup=subject.reset, shrink=False, **options
    )


def symptom(result: Result) -> str:
    finding = result.findings[0]
    return type(finding.error).__name__ if finding.error else finding.kind


def public_methods(cls: type) -> list[str]:
    return [name for name in dir(cls) if not name.startswith("_") and callable(getattr(cls, name))]


def test_the_subjects_are_v11_to_v20() -> None:
    assert list(SUBJECT_OF) == [f"V{number}" for number in range(11, 21)]


@each_subject
@pytest.mark.parametrize("switches", ["free-threaded", "gil"])
def test_the_exposing_calls_fail_as_published(subject: ClassSubject, switches: str) -> None:
    cls = loaded(subject.target)
    result = explored(subject, cls, scheduler="random", executions=400, switches=switches)
    assert symptom(result) in subject.symptoms


@each_subject
def test_the_fixed_class_passes_in_all_schedules_with_two_preemptions(subject: ClassSubject) -> None:
    result = explored(subject, loaded(subject.fixed), scheduler="exhaustive:preemptions=2", until="exhausted")
    assert (result.outcome, result.exhausted) == ("passed", True)


@each_subject
@each_version
@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["forward", "backward"])
def test_the_calls_pass_one_after_the_other(subject: ClassSubject, version: str, order: tuple[int, int]) -> None:
    if subject.reset:
        subject.reset()
    calls = subject.exposing.prepare(loaded(getattr(subject, version)))
    for place in order:
        calls[place]()


@each_subject
def test_the_class_has_enough_methods_to_choose_from(subject: ClassSubject) -> None:
    minimum = MINIMUM_OF_LARGE_CLASSES.get(subject.id) or math.ceil(MINIMUM_SHARE * subject.methods)
    assert len(public_methods(loaded(subject.target))) >= minimum


@each_subject
def test_the_fixed_class_has_the_same_name_and_methods(subject: ClassSubject) -> None:
    buggy, fixed = loaded(subject.target), loaded(subject.fixed)
    assert issubclass(fixed, buggy)
    assert fixed.__name__ == buggy.__name__
    assert public_methods(fixed) == public_methods(buggy)


@pytest.mark.parametrize("identifier", ["V12", "V13", "V14", "V15", "V16"])
def test_two_threads_can_compare_fixed_objects_with_each_other(identifier: str) -> None:
    """Each thread needs the locks of both objects; the threads name the objects in opposite orders."""

    def prepare(cls: type) -> tuple[Callable[[], object], Callable[[], object]]:
        one, other = cls(), cls()
        return lambda: one == other, lambda: other == one

    scenario = TwoThreads(prepare)(version_of(identifier, "fixed"))
    source = ["raddle_lab", __name__]
    result = raddle.explore(scenario, scheduler="exhaustive:preemptions=2", until="exhausted", source=source)
    assert (result.outcome, result.exhausted) == ("passed", True)


# Settings: a setter changes what the getter returns, and only that.


@pytest.mark.parametrize("identifier", ["V12", "V13", "V15"])
@each_version
def test_each_setter_of_a_flag_changes_what_its_getter_returns(identifier: str, version: str) -> None:
    cls = version_of(identifier, version)
    flags = [name.removeprefix("is_") for name in public_methods(cls) if name.startswith("is_")]
    assert flags
    for flag, value in itertools.product(flags, (True, False)):
        item = cls()
        getattr(item, f"set_{flag}")(value)
        assert getattr(item, f"is_{flag}")() is value


@pytest.mark.parametrize("identifier", ["V12", "V13", "V15"])
@each_version
def test_each_setter_of_a_number_changes_what_its_getter_returns(identifier: str, version: str) -> None:
    cls = version_of(identifier, version)
    endings = ("_stroke", "_insets", "_length", "_dimension", "_angle", "_offset", "_margin", "_size", "_weight")
    setters = [name for name in public_methods(cls) if name.startswith("set_") and name.endswith(endings)]
    assert setters
    for setter in setters:
        item = cls()
        getattr(item, setter)(7)
        assert getattr(item, setter.replace("set_", "get_"))() == 7


@pytest.mark.parametrize("identifier", ["V12", "V13", "V15"])
@each_version
def test_each_setter_of_a_color_or_font_changes_what_its_getter_returns(identifier: str, version: str) -> None:
    cls = version_of(identifier, version)
    setters = [name for name in public_methods(cls) if name.startswith("set_") and name.endswith(("_paint", "_font"))]
    assert setters
    for setter in setters:
        item, quadrant = cls(), (0,) if setter == "set_quadrant_paint" else ()
        getattr(item, setter)(*quadrant, "red")
        assert getattr(item, setter.replace("set_", "get_"))(*quadrant) == "red"


# Smoke tests; the expectations are derived in comments where they are not obvious.


@each_version
def test_days_have_neighbors_numbers_and_texts(version: str) -> None:
    day_class = version_of("V11", version)
    day = day_class(1, 1, 1970)
    assert (day.get_year(), day.get_month(), day.get_day_of_month()) == (1970, 1, 1)
    assert day.get_serial_date() == datetime.date(1970, 1, 1)
    assert day_class(1, 1, 1900).get_serial_index() == 2
    assert (day.get_first_millisecond(), day.get_last_millisecond()) == (0, 86_399_999)
    assert day.get_middle_millisecond() == 43_199_999  # half of the last millisecond, rounded down
    day.peg(1)  # an hour ahead of UTC, days start an hour earlier
    assert day.get_first_millisecond() == -3_600_000
    assert (day.next(), day.previous()) == (day_class(2, 1, 1970), day_class(31, 12, 1969))
    assert day_class(1, 1, 1900).previous() is None
    assert day_class(31, 12, 9999).next() is None
    assert day_class(1, 3, 2024).compare_to(day_class(28, 2, 2024)) == 2  # 2024 is a leap year
    assert day.get_start() == datetime.datetime(1970, 1, 1)
    assert day.get_end() < day.next().get_start()
    texts = (str(day), day.format_short(), day.format_medium(), day.format_long())
    assert texts == ("1970-01-01", "01/01/1970", "01.01.1970", "01 01 1970")
    assert hash(day) == hash(day_class.from_date(datetime.date(1970, 1, 1)))


@each_version
@pytest.mark.parametrize("text", ["", "J", "1", "²", "2023-02-29", "2024-02-29x", "1899-12-31", "13/01/2024"])
def test_texts_that_are_not_days_are_not_parsed(version: str, text: str) -> None:
    assert version_of("V11", version).parse_day(text) is None


@each_version
@pytest.mark.parametrize("text", ["2024-02-29", "02/29/2024", "2/29/2024"])
def test_days_are_parsed(version: str, text: str) -> None:
    day_class = version_of("V11", version)
    assert day_class.parse_day(text) == day_class(29, 2, 2024)


@pytest.mark.parametrize("identifier", ["V12", "V13"])
@each_version
def test_axes_notify_listeners_and_can_be_cloned(identifier: str, version: str) -> None:
    axis, recorder = version_of(identifier, version)("a"), AxisRecorder()
    axis.add_change_listener(recorder)
    axis.set_label("b")
    clone = axis.clone()
    assert clone == axis
    assert type(clone) is type(axis)
    clone.set_label("c")  # the clone has no listeners
    assert clone != axis
    assert axis.has_listener(recorder)
    axis.remove_change_listener(recorder)
    axis.set_visible(False)
    assert [event.axis for event in recorder.events] == [axis]


@each_version
def test_number_axes_change_their_range(version: str) -> None:
    axis = version_of("V12", version)()
    axis.set_range(Range(0.0, 10.0))
    axis.center_range(6.0)  # the middle was 5
    assert axis.get_range() == Range(1.0, 11.0)
    axis.set_lower_bound(20.0)  # above the upper bound
    assert axis.get_range() == Range(20.0, 21.0)
    axis.set_upper_bound(24.0)
    assert (axis.get_lower_bound(), axis.get_upper_bound()) == (20.0, 24.0)
    axis.resize_range(0.5)  # half of the length 4 around 22
    assert axis.get_range() == Range(21.0, 23.0)
    axis.resize_range_about(2.0, 0.0)
    assert axis.get_range() == Range(-2.0, 2.0)
    axis.zoom_range(0.25, 0.75)
    assert axis.get_range() == Range(-1.0, 1.0)
    axis.set_range_about_value(5.0, 2.0)
    assert axis.get_range() == Range(4.0, 6.0)
    axis.set_range_with_margins(Range(0.0, 100.0))  # both margins are 5 percent
    assert axis.get_range() == Range(-5.0, 105.0)
    axis.set_range(Range(0.0, 4.0))
    assert axis.value_to_pixel(1.0, 100.0, 40.0) == 110.0
    assert axis.pixel_to_value(110.0, 100.0, 40.0) == 1.0
    axis.set_inverted(True)
    assert axis.value_to_pixel(1.0, 100.0, 40.0) == 130.0


@each_version
def test_number_axes_have_ticks(version: str) -> None:
    axis = version_of("V12", version)()
    axis.set_range(Range(0.5, 6.5))
    axis.set_tick_unit(2.0)  # ticks at 2, 4 and 6
    assert not axis.is_auto_tick_unit_selection()
    assert axis.calculate_lowest_visible_tick_value() == 2.0
    assert axis.calculate_highest_visible_tick_value() == 6.0
    assert axis.calculate_visible_tick_count() == 3
    axis.set_number_format(".1f")
    assert axis.refresh_ticks() == ["2.0", "4.0", "6.0"]
    axis.set_standard_tick_units((3.0, 1.0, 0.5))
    assert axis.select_auto_tick_unit() == 0.5  # 6 / 0.5 = 12 ticks are still few enough
    with pytest.raises(ValueError, match="positive"):
        axis.set_tick_unit(0.0)
    with pytest.raises(ValueError, match="format"):
        axis.set_number_format("no format")
    axis.set_marker_band(Range(1.0, 2.0))
    assert axis.get_marker_band() == Range(1.0, 2.0)


@each_version
def test_number_axes_follow_the_data_of_their_plot(version: str) -> None:
    axis = version_of("V12", version)()
    axis.set_plot(FixedPlot(10.0, 20.0))  # includes zero, with 5 percent margins
    assert axis.get_range() == Range(-1.0, 21.0)
    axis.set_auto_range_includes_zero(False)
    axis.set_lower_margin(0.0)
    axis.set_upper_margin(0.1)
    axis.configure()
    assert axis.get_range() == Range(10.0, 21.0)
    axis.set_fixed_auto_range(4.0)
    axis.configure()  # the last 4 of the data, of which 10 percent are 0.4
    assert axis.get_range() == Range(16.0, 20.4)
    axis.set_range(Range(0.0, 1.0))
    axis.configure()
    assert not axis.is_auto_range()
    assert axis.get_range() == Range(0.0, 1.0)


@each_version
def test_period_axes_show_whole_periods(version: str) -> None:
    axis = version_of("V13", version)("time", DayPeriod(0), DayPeriod(1))
    assert axis.get_range() == Range(0, 172_799_999)
    axis.set_time_zone(1)
    assert axis.get_range() == Range(-3_600_000, 169_199_999)
    axis.set_time_zone(0)
    axis.set_last(DayPeriod(13))
    assert axis.refresh_ticks() == [0, 604_800_000]  # weeks
    axis.set_first(DayPeriod(13))
    with pytest.raises(ValueError, match="starts after"):
        axis.set_last(DayPeriod(12))
    axis.set_auto_range_period_class(HourPeriod)
    axis.set_range(Range(3_600_000.0, 7_200_000.0))
    assert (axis.get_first(), axis.get_last()) == (HourPeriod(1), HourPeriod(2))
    axis.set_label_info(("hour",))
    assert axis.get_label_info() == ("hour",)


@each_version
def test_time_series_keep_items_sorted(version: str) -> None:
    series_class = version_of("V14", version)
    series, recorder = series_class("prices"), SeriesRecorder()
    series.add_change_listener(recorder)
    for period in (5, 1, 3):
        series.add(period, period * 10.0)
    assert len(recorder.events) == 3
    assert series.get_time_periods() == [1, 3, 5]
    assert (series.get_index(3), series.get_index(2)) == (1, -2)  # period 2 belongs at index 1
    assert (series.get_value(5), series.get_value(4)) == (50.0, None)
    assert series.get_next_time_period() == 6
    with pytest.raises(SeriesError, match="exists already"):
        series.add(3, 0.0)
    with pytest.raises(SeriesError, match="not a period"):
        series.add("3", 0.0)
    series.update(3, 31.0)
    assert series.add_or_update(3, 32.0).value == 31.0
    assert series.add_or_update(2, 20.0) is None
    copy = series.create_copy(1, 2)  # periods 2 and 3
    assert (copy.get_time_periods(), copy.get_name()) == ([2, 3], "prices")
    assert series.create_copy_between(3, 9).get_time_periods() == [3, 5]
    assert series.clone() == series
    assert series.get_time_periods_unique_to(copy) == []
    overwritten = copy.add_and_or_update(series)
    assert (overwritten.get_time_periods(), copy.get_time_periods()) == ([2, 3], [1, 2, 3, 5])
    series.delete(2)
    series.delete_range(0, 1)
    assert series.get_time_periods() == [5]
    with pytest.raises(IndexError):
        series.get_data_pair(1)
    series.clear()
    assert series.get_item_count() == 0


@each_version
def test_time_series_drop_old_items(version: str) -> None:
    series = version_of("V14", version)()
    series.set_maximum_item_count(2)
    for period in (1, 2, 3):
        series.add(period, None)
    assert series.get_time_periods() == [2, 3]
    series.set_history_count(4)
    series.add(7, None)  # item 2 is dropped because of its number, item 3 is only 4 periods old
    assert series.get_time_periods() == [3, 7]
    series.set_history_count(3)
    assert series.get_time_periods() == [7]


@each_version
def test_time_series_hold_many_items(version: str) -> None:
    series = version_of("V14", version)()
    for period in range(40, 0, -1):  # each item is inserted before all others
        series.add(period, None)
    assert series.get_time_periods() == list(range(1, 41))


@pytest.mark.parametrize("identifier", ["V14", "V16"])
@each_version
def test_series_tell_listeners_about_their_name(identifier: str, version: str) -> None:
    series, recorder = version_of(identifier, version)("a"), SeriesRecorder()
    series.add_property_listener(recorder)
    series.set_name("b")
    series.set_description("text")
    series.remove_property_listener(recorder)
    series.set_name("c")
    assert recorder.properties == [("name", "a", "b"), ("description", None, "text")]


@each_version
def test_series_of_points_keep_points_sorted(version: str) -> None:
    series, recorder = version_of("V16", version)("points"), SeriesRecorder()
    series.add_change_listener(recorder)
    series.add(2.0, 20.0)
    series.add(1.0, 10.0)
    series.add(2.0, 21.0)
    assert [(pair.x, pair.y) for pair in series.get_items()] == [(1.0, 10.0), (2.0, 20.0), (2.0, 21.0)]
    assert (series.index_of(2.0), series.index_of(3.0)) == (1, -1)
    series.update(0, 11.0)
    assert (series.get_x_value(0), series.get_y_value(0)) == (1.0, 11.0)
    assert series.clone() == series
    assert series.create_copy(1, 2).get_item_count() == 2
    series.remove_change_listener(recorder)
    series.set_maximum_item_count(1)
    assert series.get_y_value(0) == 21.0
    series.delete(0, 0)
    assert series.get_item_count() == 0
    assert len(recorder.events) == 4  # three points and one update
    with pytest.raises(IndexError):
        series.get_data_pair(0)


@each_version
def test_series_of_points_can_refuse_duplicates(version: str) -> None:
    series = version_of("V16", version)("points", allow_duplicates=False)
    series.add(1.0, None)
    with pytest.raises(SeriesError, match="exists already"):
        series.add(1.0, 2.0)


@each_version
def test_plots_map_datasets_to_axes(version: str) -> None:
    plot = version_of("V15", version)(Dataset("a", ((1.0, 10.0), (3.0, 30.0))))
    plot.set_dataset(1, Dataset("b", ((5.0, 50.0),)))
    plot.set_domain_axis(1, PlotAxis("second"))
    x, y, second = plot.get_domain_axis(), plot.get_range_axis(), plot.get_domain_axis(1)
    assert plot.get_data_range(x) == Range(1.0, 5.0)
    assert plot.get_data_range(second) is None
    plot.map_dataset_to_domain_axis(1, 1)
    assert (plot.get_data_range(x), plot.get_data_range(second)) == (Range(1.0, 3.0), Range(5.0, 5.0))
    assert plot.get_data_range(y) == Range(10.0, 50.0)
    assert (plot.get_domain_axis_for_dataset(1), plot.get_range_axis_for_dataset(1)) == (second, y)
    plot.map_dataset_to_range_axes(1, ())
    assert plot.get_range_axis_for_dataset(1) is None
    assert (plot.get_domain_axis_count(), plot.get_domain_axis_index(second)) == (2, 1)
    assert (plot.get_legend_items(), plot.get_series_count(), plot.get_dataset_count()) == (("a", "b"), 2, 2)
    assert plot.get_renderer_for_dataset(Dataset("c")) is None
    plot.set_renderer(1, Renderer("red"))
    assert plot.get_renderer_for_dataset(plot.get_dataset(1)) == Renderer("red")
    plot.zoom_domain_axes(2.0)  # the range from 0 to 1 has its middle at 0.5
    assert plot.get_domain_axis() == PlotAxis("x", -0.5, 1.5)
    plot.clear_domain_axes()
    assert plot.get_domain_axis_count() == 0


@each_version
def test_plots_have_markers_and_annotations(version: str) -> None:
    plot, marker = version_of("V15", version)(), Marker(1.0, "m")
    plot.add_domain_marker(marker)
    plot.add_range_marker(marker, Layer.BACKGROUND, 2)
    assert (plot.get_domain_markers(), plot.get_range_markers(Layer.BACKGROUND, 2)) == ((marker,), (marker,))
    assert plot.get_range_markers() == ()
    assert plot.remove_domain_marker(marker)
    assert not plot.remove_domain_marker(marker)
    plot.clear_range_markers()
    assert plot.get_range_markers(Layer.BACKGROUND, 2) == ()
    plot.add_annotation(Annotation("a"))
    assert plot.remove_annotation(Annotation("a"))
    assert plot.get_annotations() == ()
    plot.set_quadrant_paint(3, "red")
    assert plot.get_quadrant_paint(3) == "red"
    with pytest.raises(IndexError):
        plot.get_quadrant_paint(4)


@each_version
def test_changes_of_a_cloned_plot_do_not_affect_the_original(version: str) -> None:
    plot, recorder = version_of("V15", version)(), PlotRecorder()
    plot.add_change_listener(recorder)
    clone = plot.clone()
    assert clone == plot
    clone.add_domain_marker(Marker())
    clone.map_dataset_to_range_axis(1, 1)
    clone.set_dataset(0, Dataset("c"))
    clone.add_annotation(Annotation("a"))
    assert (plot.get_domain_markers(), plot.get_dataset(), plot.get_annotations()) == ((), None, ())
    assert recorder.events == []
    assert clone != plot


@each_version
def test_lists_of_appenders_pass_events_on(version: str) -> None:
    appenders, first, second = version_of("V17", version)(), MemoryAppender("a"), MemoryAppender("b")
    assert (appenders.append_loop_on_appenders("early"), appenders.get_all_appenders()) == (0, [])
    appenders.add_appender(None)
    for appender in (first, second, first):
        appenders.add_appender(appender)
    assert appenders.append_loop_on_appenders("event") == 2
    assert appenders.get_all_appenders() == [first, second]
    assert appenders.get_appender("b") is second
    appenders.remove_appender(first)
    assert (appenders.is_attached(first), appenders.is_attached(second)) == (False, True)
    appenders.remove_appender_by_name("c")
    appenders.remove_all_appenders()
    second.do_append("late")
    assert (first.events, second.events) == (["event"], ["event"])
    assert (appenders.get_all_appenders(), appenders.get_appender("b")) == ([], None)


@each_version
def test_file_appenders_write_files(version: str) -> None:
    files = MemoryFiles()
    appender = version_of("V18", version)(Layout("begin\n", "end\n"), "log", files.open)
    appender.set_threshold(Priority.INFO)
    appender.add_filter(Filter(Priority.WARN))
    for priority in (Priority.DEBUG, Priority.INFO, Priority.ERROR):
        appender.do_append(LogEvent("message", priority))  # the threshold excludes DEBUG, the filter excludes INFO
    appender.close()
    appender.do_append(LogEvent("late", Priority.ERROR))
    assert files.text("log") == "begin\nERROR message\nend\n"
    assert appender.get_error_handler().errors == ["the appender is closed"]


@each_version
def test_file_appenders_can_change_their_file(version: str) -> None:
    files = MemoryFiles()
    appender = version_of("V18", version)(Layout(), None, files.open)
    appender.append(LogEvent("lost"))
    appender.set_file(" first ")
    appender.activate_options()
    appender.append(LogEvent("one"))
    appender.open_file("second", append=False, buffered_io=True, buffer_size=10)
    appender.append(LogEvent("two"))
    assert (files.text("first"), files.text("second")) == ("INFO one\n", "INFO two\n")
    assert (appender.get_file(), appender.get_append(), appender.get_buffer_size()) == ("second", False, 10)
    assert (appender.get_buffered_io(), appender.is_immediate_flush()) == (True, False)
    handler = ErrorHandler()
    appender.set_error_handler(handler)
    appender.set_layout(None)
    appender.append(LogEvent("three"))
    assert handler.errors == ["the appender has no layout"]
    with pytest.raises(ValueError, match="no name"):
        appender.open_file("", append=True, buffered_io=False, buffer_size=1)


@each_version
def test_file_appenders_report_streams_that_cannot_be_written(version: str) -> None:
    appender, stream = version_of("V18", version)(Layout()), io.StringIO()
    appender.set_writer(stream)
    stream.close()
    appender.append(LogEvent("message"))
    assert appender.get_error_handler().errors[0].startswith("failed to write 'INFO message")


@each_version
def test_null_appenders_have_the_settings_of_appenders(version: str) -> None:
    appender = version_of("V19", version)()
    assert appender.is_as_severe_as_threshold(Priority.DEBUG)
    appender.set_threshold(Priority.WARN)
    assert appender.is_as_severe_as_threshold(Priority.WARN)
    assert not appender.is_as_severe_as_threshold(Priority.INFO)
    first, second = Filter(), Filter()
    appender.add_filter(first)
    appender.add_filter(second)
    assert (appender.get_filter(), appender.get_first_filter().next) == (first, second)
    with pytest.raises(ValueError, match="already part"):
        appender.add_filter(second)
    appender.clear_filters()
    assert appender.get_filter() is None
    appender.set_name("null")
    appender.set_layout(Layout())
    appender.do_append(LogEvent("message"))
    appender.release()
    assert (appender.get_name(), appender.requires_layout(), appender.is_closed()) == ("null", False, False)
    appender.set_error_handler(None)
    assert appender.get_error_handler().errors == []
    assert type(appender.get_instance()) is type(appender)


def test_a_memory_file_can_be_read_after_it_is_closed() -> None:
    stream = MemoryFile()
    stream.write("text")
    stream.close()
    assert stream.getvalue() == "text"


@dataclass
class Person:
    """An object that is written as XML."""

    name: str
    age: int
    friends: object = None


@each_version
@pytest.mark.parametrize("value", [None, True, 1, -2.5, "a < b & c", [], [1, "x"], (1, (2,)), {"k": [None]}])
def test_basic_values_survive_xml(version: str, value: object) -> None:
    xstream = version_of("V20", version)()
    assert xstream.from_xml(xstream.to_xml(value)) == value


@each_version
def test_objects_are_written_as_configured(version: str) -> None:
    xstream = version_of("V20", version)()
    xstream.alias("person", Person)
    xstream.use_attribute_for(Person, "age")
    xstream.alias_field("called", Person, "name")
    xstream.add_implicit_collection(Person, "friends", "friend")
    person = Person("Ann", 30, ["Bob"])
    text = xstream.to_xml(person)
    elements = '<called class="string">Ann</called><friend class="string">Bob</friend>'
    assert text == f'<?xml version="1.0"?><person age="30">{elements}</person>'
    assert xstream.from_xml(text) == person
    xstream.omit_field(Person, "name")
    assert "Ann" not in xstream.to_xml(person)


@each_version
def test_references_keep_objects_identical(version: str) -> None:
    xstream, shared = version_of("V20", version)(), []
    shared.append(shared)
    with pytest.raises(ConversionError, match="contains itself"):
        xstream.to_xml(shared)
    xstream.set_mode(Mode.ID_REFERENCES)
    copy = xstream.from_xml(xstream.to_xml(shared))
    assert copy[0] is copy


@each_version
def test_streams_of_objects_can_be_read_again(version: str) -> None:
    xstream, output = version_of("V20", version)(), io.StringIO()
    stream = xstream.create_object_output_stream(output)
    stream.write_object(1)
    stream.write_object("a")
    stream.close()
    reader = xstream.create_object_input_stream(io.StringIO(output.getvalue()))
    assert (reader.read_object(), reader.read_object()) == (1, "a")
    with pytest.raises(EOFError):
        reader.read_object()


class Shouting:
    """A converter that writes texts in capital letters."""

    def can_convert(self, kind: type) -> bool:
        return kind is str

    def to_text(self, value: object) -> str:
        return str(value).upper()

    def from_text(self, text: str, kind: type) -> object:
        return text.lower()


class Named:
    """A class with annotations for XML."""

    xml_name = "named"
    xml_omit = ("secret",)

    def __init__(self, word: str) -> None:
        self.word = word
        self.secret = "secret"


@each_version
def test_types_have_names_and_converters(version: str) -> None:
    xstream = version_of("V20", version)()
    xstream.register_local_converter(Named, "word", Shouting())
    xstream.autodetect_annotations(True)
    assert xstream.to_xml(Named("hi")).endswith("<named><word>HI</word></named>")
    assert xstream.from_xml("<named><word>HI</word></named>").word == "hi"
    xstream.register_converter(Shouting(), priority=1)
    assert xstream.to_xml("a").endswith("<string>A</string>")
    xstream.alias_package("here", __name__)
    assert xstream.get_mapper().name_of(Person) == "here.Person"
    with pytest.raises(LookupError, match="alias"):
        xstream.from_xml("<here.Person/>")
    xstream.set_class_loader({"here.Person": Person}.get)
    assert type(xstream.from_xml("<here.Person/>")) is Person
    xstream.alias_type("base", Named)
    assert xstream.get_mapper().name_of(type("Derived", (Named,), {})) == "base"
    xstream.add_default_implementation(tuple, list)
    assert xstream.read_xml(io.StringIO("<list/>")) == ()
    xstream.add_immutable_type(Person)
    assert xstream.is_immutable_type(Person)
    with pytest.raises(ConversionError, match="not an XML document"):
        xstream.from_xml("<a>")
