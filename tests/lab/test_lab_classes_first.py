"""The classes of DBCP and the JDK fail as published, their fixed versions do not, and all other calls work."""

from __future__ import annotations

import importlib
import inspect
import io
import math

import pytest
from raddle_lab import class_subjects_first
from raddle_lab.class_subject import ClassSubject
from raddle_lab.class_subjects_first import SUBJECTS
from raddle_lab.classes import data_source_registry
from raddle_lab.classes.buffered_input_stream import BufferedInputStream
from raddle_lab.classes.concurrent_hash_map import ConcurrentHashMap
from raddle_lab.classes.connection_pool import MemorySource
from raddle_lab.classes.data_source import DataSource, Reference
from raddle_lab.classes.data_source_registry import DataSourceRegistry
from raddle_lab.classes.fixed.data_source_registry import DataSourceRegistry as FixedDataSourceRegistry
from raddle_lab.classes.hashtable import Hashtable
from raddle_lab.classes.list_vector import Vector as ListVector
from raddle_lab.classes.log_handler import AcceptAll, MemoryHandler, MinimumLevel
from raddle_lab.classes.log_record import Level
from raddle_lab.classes.logger import Logger
from raddle_lab.classes.per_user_pool_data_source import PerUserPoolDataSource
from raddle_lab.classes.shared_pool_data_source import SharedPoolDataSource
from raddle_lab.classes.stable_hash import stable_hash
from raddle_lab.classes.string_buffer import StringBuffer
from raddle_lab.classes.synchronized_map import SynchronizedMap
from raddle_lab.classes.vector import Vector

import raddle

pytestmark = pytest.mark.slow

SOURCE = ["raddle_lab"]
each_subject = pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.id)
both_versions = pytest.mark.parametrize("version", ["target", "fixed"])


def load(name: str) -> type:
    module, _, class_name = name.partition(":")
    return getattr(importlib.import_module(module), class_name)


def public_methods(cls: type) -> list[str]:
    return [name for name, _ in inspect.getmembers(cls, callable) if not name.startswith("_")]


def least_methods(subject: ClassSubject) -> int:
    """Data sources need 35 methods, and all other classes 60 % of the methods of the original."""
    return 35 if "DataSource" in subject.published_name else math.ceil(0.6 * subject.methods)


@pytest.fixture(autouse=True)
def _clear_registries():
    class_subjects_first.clear_registries()
    yield
    class_subjects_first.clear_registries()


# -- the bugs -----------------------------------------------------------------------------------------------------


def test_the_subjects_are_v1_to_v10() -> None:
    assert [subject.id for subject in SUBJECTS] == [f"V{number}" for number in range(1, 11)]


@each_subject
@pytest.mark.parametrize("switches", ["free-threaded", "gil"])
def test_random_schedules_expose_the_bug(subject: ClassSubject, switches: str) -> None:
    result = raddle.explore(
        subject.exposing(load(subject.target)),
        scheduler="random",
        seed=1,
        executions=400,
        switches=switches,
        source=SOURCE,
        setup=subject.reset,
    )
    (finding,) = result.findings
    assert (type(finding.error).__name__ if finding.error else finding.kind) in subject.symptoms


@each_subject
def test_the_fixed_class_passes_in_all_schedules_with_two_preemptions(subject: ClassSubject) -> None:
    result = raddle.explore(
        subject.exposing(load(subject.fixed)),
        scheduler="exhaustive:preemptions=2",
        executions=20_000,
        source=SOURCE,
        setup=subject.reset,
    )
    assert result.findings == ()
    assert result.exhausted


@each_subject
@both_versions
@pytest.mark.parametrize("order", [1, -1], ids=["in-order", "reversed"])
def test_the_calls_pass_one_after_the_other(
    subject: ClassSubject, version: str, order: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def one_by_one(*bodies) -> None:
        for body in bodies[::order]:
            body()

    monkeypatch.setattr(class_subjects_first, "together", one_by_one)
    subject.exposing(load(getattr(subject, version)))()


@each_subject
def test_the_class_has_enough_methods_to_choose_from(subject: ClassSubject) -> None:
    assert len(public_methods(load(subject.target))) >= least_methods(subject)


@each_subject
def test_both_versions_have_the_same_name_and_methods(subject: ClassSubject) -> None:
    buggy, fixed = load(subject.target), load(subject.fixed)
    assert issubclass(fixed, buggy)
    assert fixed.__name__ == buggy.__name__ == subject.published_name
    assert public_methods(fixed) == public_methods(buggy)


# -- the parts that several subjects share ------------------------------------------------------------------------


def test_hashes_depend_only_on_the_value() -> None:
    # The checksum of "123456789" is the published check value of CRC-32.
    assert stable_hash("123456789") == stable_hash(b"123456789") == 0xCBF43926
    assert stable_hash(2) == stable_hash(2.0) == 2
    assert stable_hash((1, 2)) == (31 * 1 + 1) * 31 + 2
    assert stable_hash(object()) == stable_hash(object()) != stable_hash(None)


@pytest.mark.parametrize("registry_class", [DataSourceRegistry, FixedDataSourceRegistry])
def test_a_registry_numbers_its_instances(registry_class: type[DataSourceRegistry]) -> None:
    class Source:
        is_closed = False

        def close(self) -> None:
            self.is_closed = True

    registry, sources = registry_class(), [Source(), Source(), Source()]
    assert [registry.register(source) for source in sources] == ["1", "2", "3"]
    registry.remove("2")
    assert [registry.find(key) for key in ("1", "2", "3")] == [sources[0], None, sources[2]]
    assert registry.register(sources[1]) == "4"  # one more than the largest key in use
    registry.remove(None)
    registry.close_all()
    assert all(source.is_closed for source in sources)
    assert registry.find("1") is None


# -- V1, V2 -------------------------------------------------------------------------------------------------------


@both_versions
@pytest.mark.parametrize("subject", SUBJECTS[:2], ids=lambda subject: subject.id)
def test_a_data_source_has_settings_until_it_hands_out_a_connection(subject: ClassSubject, version: str) -> None:
    source = load(getattr(subject, version))()
    for name, value in {
        "default_auto_commit": False,
        "default_read_only": True,
        "test_on_borrow": True,
        "test_on_return": True,
        "test_while_idle": True,
        "rollback_after_validation": True,
    }.items():
        assert getattr(source, f"is_{name}")() is not value
        getattr(source, f"set_{name}")(value)
        assert getattr(source, f"is_{name}")() is value
    for name, value in {
        "default_transaction_isolation": 2,
        "description": "orders",
        "login_timeout": 3,
        "eviction_interval": 100,
        "tests_per_eviction_run": 1,
        "min_idle_time": 50,
        "validation_query": "select 1",
    }.items():
        assert getattr(source, f"get_{name}")() != value
        getattr(source, f"set_{name}")(value)
        assert getattr(source, f"get_{name}")() == value
    with pytest.raises(ValueError, match="isolation level is 3"):
        source.set_default_transaction_isolation(3)
    with pytest.raises(ValueError, match="must not be negative"):
        source.set_login_timeout(-1)
    with pytest.raises(ValueError, match="no connection source"):
        source.get_connection()
    with pytest.raises(ValueError, match="cannot be changed"):
        source.set_test_on_borrow(False)
    source.set_description("still possible")


@pytest.mark.parametrize("cls", [SharedPoolDataSource, PerUserPoolDataSource])
def test_a_data_source_is_registered_while_it_is_configured(cls: type[DataSource]) -> None:
    source, memory = cls(), MemorySource()
    assert source.get_reference() == Reference(cls.__name__, None)
    source.set_connection_source(memory)
    assert source.get_connection_source() is memory
    assert source.get_reference() == Reference(cls.__name__, "1")
    assert data_source_registry.REGISTRY.find("1") is source
    with pytest.raises(ValueError, match="already set"):
        source.set_connection_source(memory)
    with pytest.raises(ValueError, match="come from a connection source"):
        source.set_data_source_name("a")
    source.close()
    assert data_source_registry.REGISTRY.find("1") is None


@pytest.mark.parametrize("cls", [SharedPoolDataSource, PerUserPoolDataSource])
def test_a_data_source_can_be_named(cls: type[DataSource]) -> None:
    source, memory = cls(), MemorySource()
    assert source.get_environment("a") is None
    source.set_environment("a", memory)
    source.set_data_source_name("a")
    assert (source.get_environment("a"), source.get_data_source_name()) == (memory, "a")
    with pytest.raises(ValueError, match="source named 'a'"):
        source.set_connection_source(memory)
    with pytest.raises(ValueError, match="already set to 'a'"):
        source.set_data_source_name("b")
    assert source.get_connection("user", "password").connection.user == "user"


def test_a_shared_pool_counts_the_connections_of_all_users() -> None:
    source = SharedPoolDataSource()
    assert (source.get_max_active(), source.get_max_idle(), source.get_max_wait()) == (8, 8, -1)
    source.set_max_active(2)
    source.set_max_idle(1)
    source.set_max_wait(5)
    source.set_connection_source(MemorySource())
    assert (source.get_num_active(), source.get_num_idle()) == (0, 0)
    first, second = source.get_connection("a"), source.get_connection("b")
    with pytest.raises(ValueError, match="all 2 connections are in use"):
        source.get_connection("c")
    first.close()
    first.close()
    assert (source.get_num_active(), source.get_num_idle()) == (1, 1)
    second.close()  # one idle connection is enough
    assert second.connection.is_closed
    assert (source.get_num_active(), source.get_num_idle()) == (0, 1)
    assert source.get_connection("a").connection is first.connection
    source.close()
    with pytest.raises(ValueError, match="closed"):
        source.get_connection("a")


def test_users_can_have_pools_and_settings_of_their_own() -> None:
    source = PerUserPoolDataSource()
    for name, value in {"max_active": 3, "max_idle": 2, "max_wait": 7}.items():
        getattr(source, f"set_default_{name}")(value)
        assert getattr(source, f"get_default_{name}")() == value
        assert getattr(source, f"get_per_user_{name}")("a") == value
        getattr(source, f"set_per_user_{name}")("a", 1)
        assert getattr(source, f"get_per_user_{name}")("a") == 1
        assert getattr(source, f"get_per_user_{name}")("b") == value
    for name, value in {"auto_commit": False, "transaction_isolation": 8, "read_only": True}.items():
        assert getattr(source, f"get_per_user_{name}")("a") is None
        getattr(source, f"set_per_user_{name}")("a", value)
        assert getattr(source, f"get_per_user_{name}")("a") == value
        assert getattr(source, f"get_per_user_{name}")("b") is None
    source.set_connection_source(MemorySource())
    connection = source.get_connection("a")
    with pytest.raises(ValueError, match="all 1 connections are in use"):
        source.get_connection("a")
    source.get_connection("b")
    connection.close()
    assert (source.get_num_active("a"), source.get_num_idle("a")) == (0, 1)
    assert (source.get_num_active("b"), source.get_num_idle("b")) == (1, 0)
    assert (source.get_num_active(), source.get_num_idle()) == (0, 0)
    source.close()
    assert source.get_num_idle("a") == 0


# -- V3 -----------------------------------------------------------------------------------------------------------


def test_a_stream_reads_and_skips_in_pieces() -> None:
    stream = BufferedInputStream(io.BytesIO(b"abcdefg"), 4)
    assert stream.mark_supported()
    assert stream.available() == 0
    assert stream.read() == ord("a")
    assert stream.available() == 3
    target = bytearray(b"......")
    assert stream.read_into(target, 1, 2) == 2
    assert target == b".bc..."
    assert stream.skip(5) == 1  # the d, which is the last byte in the buffer
    assert stream.skip(2) == 2
    assert stream.read_into(target, 0, 6) == 1
    assert target == b"gbc..."
    assert (stream.read(), stream.read_into(target, 0, 6), stream.skip(1)) == (-1, -1, 0)
    assert stream.read_into(target, 0, 0) == 0
    assert stream.skip(-1) == 0
    with pytest.raises(IndexError):
        stream.read_into(target, 5, 2)


def test_a_stream_returns_to_its_mark_until_the_limit() -> None:
    stream = BufferedInputStream(io.BytesIO(b"abcdefghi"), 2)
    with pytest.raises(OSError, match="no mark"):
        stream.reset()
    assert stream.read() == ord("a")
    stream.mark(4)
    assert [stream.read() for _ in range(4)] == list(b"bcde")
    stream.reset()
    assert [stream.read() for _ in range(5)] == list(b"bcdef")
    with pytest.raises(OSError, match="dropped"):
        stream.reset()
    stream.close()
    stream.close()
    for call in (stream.read, stream.available, stream.reset, lambda: stream.skip(1)):
        with pytest.raises(OSError, match="closed"):
            call()


# -- V4, V5, V8 ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("subject", [SUBJECTS[3], SUBJECTS[4], SUBJECTS[7]], ids=lambda subject: subject.id)
@both_versions
def test_maps_store_entries(subject: ClassSubject, version: str) -> None:
    cls = load(getattr(subject, version))
    table, other = cls(), cls()
    assert table.is_empty()
    numbers = range(40)  # enough for the table to grow
    assert [table.put(number, str(number)) for number in numbers] == [None] * 40
    assert [table.get(number) for number in numbers] == [str(number) for number in numbers]
    assert table.put(3, "three") == "3"
    assert (table.size(), table.get(3), table.get("3")) == (40, "three", None)
    assert (table.contains_key(3), table.contains_key(40)) == (True, False)
    assert (table.contains_value("three"), table.contains_value("3")) == (True, False)
    assert sorted(table.key_set().to_list()) == list(numbers)
    assert sorted(table.values().to_list()) == sorted(table.get(number) for number in numbers)
    assert table.entry_set().contains((3, "three"))
    assert (table.key_set().size(), table.key_set().is_empty()) == (40, False)
    assert table.key_set() is table.key_set()
    assert dict(table.items()) == {number: table.get(number) for number in numbers}
    other.put_all(table)
    assert table.equals(table)
    assert table.equals(other)
    assert table.equals(dict(table.items()))
    assert table.content_hash() == other.content_hash() != 0
    assert (table.remove(3), table.remove(3)) == ("three", None)
    assert not table.equals(other)
    assert not table.equals(5)
    assert [table.remove(number) for number in numbers if number != 3] == [str(n) for n in numbers if n != 3]
    table.put_all({"a": 1})
    assert table.to_string() in ("{a: 1}", "{a=1}")
    table.put("a", table)
    assert "(this" in table.to_string()
    table.clear()
    assert (table.size(), table.to_string(), table.content_hash()) == (0, "{}", 0)


def test_a_concurrent_map_replaces_and_removes_on_conditions() -> None:
    table = ConcurrentHashMap(2, 1)
    assert table.replace("a", 1) is None
    assert (table.put_if_absent("a", 1), table.put_if_absent("a", 2)) == (None, 1)
    assert table.replace("a", 2) == 1
    assert (table.replace_value("a", 1, 3), table.replace_value("a", 2, 3)) == (False, True)
    assert (table.keys(), table.elements(), table.contains(3)) == (["a"], [3], True)
    assert (table.remove_entry("a", 2), table.remove_entry("a", 3)) == (False, True)
    assert table.is_empty()
    with pytest.raises(ValueError, match="must not be None"):
        table.put(None, 1)
    with pytest.raises(ValueError, match="too small"):
        ConcurrentHashMap(1, 0)


@pytest.mark.parametrize("cls", [ConcurrentHashMap, SynchronizedMap])
def test_a_map_that_contains_itself_has_no_hash(cls: type[ConcurrentHashMap | SynchronizedMap]) -> None:
    table = cls()
    table.put("a", table)
    with pytest.raises(RecursionError, match="nested more than 50 levels"):
        table.content_hash()
    inner, outer = cls(), cls()
    outer.put(0, inner)
    assert outer.content_hash() == 0 ^ inner.content_hash()


def test_a_hash_table_can_be_cloned_and_enlarged() -> None:
    table = Hashtable(1, 1.0)
    table.put_all({1: "x", 2: "y"})
    copy = table.clone()
    table.rehash()
    assert table.equals(copy)
    assert sorted(table.keys()) == [1, 2]
    assert sorted(table.elements()) == ["x", "y"]
    assert (table.contains("x"), table.contains_value("z")) == (True, False)
    copy.put(3, "z")
    assert table.size() == 2
    with pytest.raises(ValueError, match="must not be None"):
        table.put(1, None)
    with pytest.raises(ValueError, match="too small"):
        Hashtable(-1)
    nested = Hashtable()
    nested.put(1, nested)  # contributes its key and the hash 0 for the table within itself
    assert nested.content_hash() == 1 ^ 0


def test_a_synchronized_map_wraps_a_dictionary() -> None:
    wrapped = {"a": 1}
    table = SynchronizedMap(wrapped)
    assert table.put_if_absent("a", 2) == 1
    assert table.put_if_absent("b", 2) == 2
    assert wrapped == {"a": 1, "b": 2}
    assert (table.get_or_default("b", 0), table.get_or_default("c", 0)) == (2, 0)


# -- V6 -----------------------------------------------------------------------------------------------------------


@both_versions
def test_a_logger_passes_records_to_its_handlers_and_those_of_its_parent(version: str) -> None:
    cls = load(getattr(SUBJECTS[5], version))
    parent, logger = cls("parent"), cls("child", "texts")
    own, inherited = MemoryHandler(), MemoryHandler()
    logger.add_handler(own)
    parent.add_handler(inherited)
    logger.info("1")
    logger.set_parent(parent)
    logger.warning("2")
    logger.set_use_parent_handlers(False)
    logger.severe("3")
    assert (own.messages, inherited.messages) == (["1", "2", "3"], ["2"])
    assert (logger.get_handlers(), logger.get_parent()) == ([own], parent)
    assert not logger.get_use_parent_handlers()
    logger.remove_handler(own)
    logger.remove_handler(inherited)
    assert logger.get_handlers() == []
    assert (logger.get_name(), logger.is_anonymous()) == ("child", False)
    assert (logger.get_resource_bundle_name(), parent.get_resource_bundle_name()) == ("texts", None)
    with pytest.raises(ValueError, match="own ancestor"):
        parent.set_parent(logger)
    for method in (logger.set_parent, logger.add_handler):
        with pytest.raises(ValueError, match="must not be None"):
            method(None)


def test_a_logger_drops_records_below_its_level() -> None:
    parent, logger, handler = Logger(), Logger(), MemoryHandler()
    logger.add_handler(handler)
    logger.set_parent(parent)
    assert (logger.get_level(), logger.get_effective_level()) == (None, Level.INFO)
    logger.config("dropped")
    parent.set_level(Level.ALL)
    assert logger.get_effective_level() == Level.ALL
    for method in (logger.config, logger.fine, logger.finer, logger.finest):
        method(method.__name__)
    logger.entering("C", "m")
    logger.exiting("C", "m")
    logger.throwing("C", "m", None)
    logger.log(Level.INFO, "log")
    logger.log_with_parameter(Level.INFO, "parameter", 1)
    logger.log_with_error(Level.INFO, "error", None)
    logger.log_from(Level.INFO, "C", "m", "from")
    logger.set_level(Level.OFF)
    logger.severe("dropped")
    logger.log(Level.OFF, "dropped")
    assert handler.messages == [
        "config", "fine", "finer", "finest", "ENTRY", "RETURN", "THROW", "log", "parameter", "error", "from",
    ]  # fmt: skip
    assert not logger.is_loggable(Level.SEVERE)


def test_a_logger_asks_its_filter() -> None:
    logger, handler = Logger(), MemoryHandler()
    logger.add_handler(handler)
    only_warnings = MinimumLevel(Level.WARNING)
    logger.set_filter(only_warnings)
    assert logger.get_filter() is only_warnings
    logger.info("dropped")
    logger.warning("1")
    logger.set_filter(AcceptAll())
    logger.info("2")
    logger.set_filter(None)
    logger.info("3")
    assert handler.messages == ["1", "2", "3"]


# -- V7 -----------------------------------------------------------------------------------------------------------


def test_a_string_buffer_is_edited_in_place() -> None:
    text = StringBuffer("abc")
    text.append("de")
    text.append(1)
    text.append(None)
    assert text.to_string() == str(text) == "abcde1None"
    text.delete(5, 100)
    text.insert(1, text)
    assert text.to_string() == "aabcdebcde"
    text.replace(1, 6, "-")
    text.reverse()
    assert text.to_string() == "edcb-a"
    text.delete_char_at(4)
    text.set_char_at(0, "x")
    text.set_length(3)
    assert text.content_equals("xdc")
    text.set_length(4)
    assert text.to_string() == "xdc\0"
    text.append(StringBuffer("!"))
    assert (text.length(), len(text), text.is_empty()) == (5, 5, False)


def test_a_string_buffer_takes_values_of_several_types() -> None:
    text = StringBuffer()
    text.append_bool(True)
    text.append_int(1)
    text.append_float(0.5)
    text.append_chars(["a", "b"])
    text.append_code_point(99)
    text.append_range("wxyz", 1, 3)
    assert text.to_string() == "True10.5abcxy"
    text.set_length(0)
    text.insert_bool(0, False)
    text.insert_int(0, 1)
    text.insert_float(1, 2.0)
    text.insert_chars(0, ["a"])
    text.insert(0, "b")
    text.insert_range(0, StringBuffer("wxyz"), 3, 4)
    assert text.to_string() == "zba12.0False"


def test_a_string_buffer_can_be_searched_and_read() -> None:
    text = StringBuffer("banana")
    assert (text.index_of("an"), text.index_of("an", 2), text.index_of("x"), text.index_of("b", -1)) == (1, 3, -1, 0)
    assert (text.last_index_of("an"), text.last_index_of("an", 2), text.last_index_of("a", -1)) == (3, 1, -1)
    assert (text.substring(2), text.substring(1, 3), text.sub_sequence(0, 1)) == ("nana", "an", "b")
    assert (text.char_at(0), text.code_point_at(1), text.code_point_before(1)) == ("b", ord("a"), ord("b"))
    target = list("....")
    text.get_chars(0, 2, target, 1)
    assert target == [".", "b", "a", "."]
    assert text.capacity() >= 6
    text.trim_to_size()
    assert text.capacity() == 6
    text.ensure_capacity(7)
    assert text.capacity() >= 7
    for call in (
        lambda: text.char_at(6),
        lambda: text.code_point_before(0),
        lambda: text.delete_char_at(-1),
        lambda: text.substring(3, 2),
        lambda: text.insert(7, text),
        lambda: text.insert(7, "x"),
        lambda: text.append_range("ab", 1, 3),
        lambda: text.set_length(-1),
        lambda: text.get_chars(0, 2, target, 3),
    ):
        with pytest.raises(IndexError):
            call()
    with pytest.raises(ValueError, match="single character"):
        text.set_char_at(0, "xy")
    assert text.to_string() == "banana"


# -- V9, V10 ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("subject", SUBJECTS[8:], ids=lambda subject: subject.id)
@both_versions
def test_vectors_store_elements(subject: ClassSubject, version: str) -> None:
    vector = load(getattr(subject, version))(initial_capacity=1)
    assert vector.is_empty()
    for element in "abca":
        vector.add_element(element)
    assert (vector.size(), vector.capacity()) == (4, 4)
    assert list(vector.elements()) == list("abca")
    assert (vector.index_of("a"), vector.index_of("a", 1), vector.index_of("x")) == (0, 3, -1)
    assert (vector.last_index_of("a"), vector.last_index_of("a", 2), vector.last_index_of("x")) == (3, 0, -1)
    assert (vector.contains("b"), vector.contains("x")) == (True, False)
    assert (vector.first_element(), vector.element_at(1), vector.last_element()) == ("a", "b", "a")
    vector.set_element_at("d", 0)
    vector.insert_element_at("e", 1)
    vector.remove_element_at(3)
    assert vector.to_string() == "[d, e, b, a]"
    assert (vector.remove_element("e"), vector.remove_element("e")) == (True, False)
    target = list("....")
    vector.copy_into(target)
    assert target == ["d", "b", "a", "."]
    vector.ensure_capacity(20)
    assert vector.capacity() == 20
    vector.trim_to_size()
    assert vector.capacity() == 3
    copy = vector.clone()
    vector.set_size(1)
    vector.set_size(2)
    assert list(vector.elements()) == ["d", None]
    assert list(copy.elements()) == ["d", "b", "a"]
    vector.remove_all_elements()
    assert (vector.size(), vector.last_index_of("d")) == (0, -1)
    for method in (vector.first_element, vector.last_element):
        with pytest.raises(LookupError, match="empty"):
            method()
    for call in (
        lambda: vector.element_at(0),
        lambda: vector.set_size(-1),
        lambda: vector.insert_element_at("a", 1),
        lambda: vector.index_of("a", -1),
        lambda: copy.copy_into([]),
        lambda: copy.remove_element_at(-1),
    ):
        with pytest.raises(IndexError):
            call()


def test_a_vector_grows_by_its_increment() -> None:
    vector = Vector(1, 2)
    for element in range(4):
        vector.add_element(element)
    assert vector.capacity() == 1 + 2 + 2


@both_versions
def test_a_list_vector_works_like_a_list(version: str) -> None:
    cls = load(getattr(SUBJECTS[9], version))
    vector = cls([1, 2, 3])
    assert list(cls(vector)) == list(vector) == vector.to_array() == [1, 2, 3]
    assert vector.add(2)
    vector.add_at(0, 0)
    assert (vector.get(0), vector.set(1, 5), vector.remove_at(0), vector.remove(9)) == (0, 1, 0, False)
    assert vector.to_array() == [5, 2, 3, 2]
    assert vector.remove(2)
    assert (vector.contains_all([3, 5]), vector.contains_all(cls([4]))) == (True, False)
    assert vector.add_all(vector)
    assert vector.add_all_at(1, [7])
    assert not vector.add_all([])
    assert vector.to_array() == [5, 7, 3, 2, 5, 3, 2]
    assert vector.remove_all([7, 3])
    assert (vector.retain_all([2, 5]), vector.retain_all(cls([2]))) == (False, True)
    assert vector.equals([2, 2])
    assert vector.equals(cls([2, 2]))
    assert not vector.equals(cls([2, 2, 2]))
    assert not vector.equals("22")
    assert vector.content_hash() == cls([2, 2]).content_hash() == stable_hash((2, 2))
    vector.add_all([3, 4])
    assert vector.sub_list(1, 3) == [2, 3]
    vector.remove_range(0, 3)
    assert vector.to_array() == [4]
    vector.remove_all(vector)
    vector.add(vector)
    assert vector.to_string() == "[(this vector)]"
    vector.clear()
    assert vector.is_empty()
    for call in (
        lambda: vector.get(0),
        lambda: vector.sub_list(0, 1),
        lambda: vector.remove_range(1, 0),
        lambda: vector.add_all_at(1, []),
        lambda: vector.last_index_of(1, 0),
    ):
        with pytest.raises(IndexError):
            call()


def test_an_iterator_notices_changes_of_a_list_vector() -> None:
    vector = ListVector([1, 2])
    iterator = iter(vector)
    assert next(iterator) == 1
    vector.add(3)
    with pytest.raises(RuntimeError, match="changed during iteration"):
        next(iterator)
