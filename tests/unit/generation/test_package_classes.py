import argument_classes
from argument_classes import Closable, Handle, MemoryStore, Meta, Sink, Store, WithMeta

from raddle.generation.expressions import Imported
from raddle.generation.package_classes import (
    PackageClasses,
    attributes_of,
    cached_by_identity,
    imported,
    members_of,
)


def test_classes_are_found_by_name_base_and_attributes():
    classes = PackageClasses("argument_classes")
    assert list(classes.named("Handle")) == [Handle]
    assert list(classes.subclasses(Store)) == [MemoryStore]
    assert list(classes.with_attributes({"close", "key"})) == [Handle]  # `key` is assigned in the constructor
    assert [cls.__name__ for cls in classes.all] == sorted(cls.__name__ for cls in classes.all)


def test_protocols_and_abstract_classes_are_not_arguments():
    found = list(PackageClasses("argument_classes").with_attributes(set()))
    assert Handle in found
    assert Closable not in found
    assert Sink not in found


def test_attributes_come_from_methods_annotations_and_assignments():
    assert {"close", "key"} == attributes_of(Handle)
    assert {"name", "size"} <= attributes_of(argument_classes.Settings)


def test_members_that_a_class_must_have():
    assert members_of(Closable) == {"close"}
    assert members_of(Sink) == {"drain"}
    assert members_of(Handle) == frozenset()


def test_only_names_that_lead_to_the_object_are_imported():
    assert imported(Handle) == Imported("argument_classes", "Handle")
    assert imported(Handle.close) == Imported("argument_classes", "Handle.close")
    other = type("Handle", (), {"__module__": "argument_classes"})
    assert imported(other) is None


def test_results_are_cached_for_unhashable_classes():
    calls = []
    count = cached_by_identity(lambda cls: calls.append(cls))
    count(WithMeta)
    count(WithMeta)
    assert len(calls) == 1
    assert type(WithMeta) is Meta
