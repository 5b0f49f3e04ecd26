"""Each message is produced by the interpreter that runs the test, because messages differ between versions."""

import collections
import collections.abc
import datetime
import decimal
import functools
import io
import json
import math
import os
import re
import struct

import pytest

from raddle.generation.error_messages import facts_in
from raddle.generation.usage import Fact, Use

NAMES = {
    module.__name__: module for module in (collections, datetime, decimal, functools, io, json, math, os, re, struct)
}
PAIRS = (Fact((), Use.ITERATED), Fact(("item",), Use.UNPACKED, 2))


def is_a(cls):
    return (Fact((), Use.INSTANCE, cls),)


def passed_to(function):
    return (Fact((), Use.PASSED, function),)


def error_of(code, value):
    """Return the exception that statements raise on this interpreter when `x` has a value."""
    try:
        exec(compile(code, "<test>", "exec"), {**NAMES, "x": value})
    except Exception as error:
        return error
    raise AssertionError(f"{code} raises nothing")


@pytest.mark.parametrize(
    ("code", "x", "expected"),
    [
        # numbers
        ("range(x)", "a", is_a(int)),
        ("[1].pop(x)", "a", is_a(int)),
        ("datetime.date(x, 1, 1)", "a", is_a(int)),
        ("math.gcd(x)", 1.5, is_a(int)),
        ("[1][x]", "a", is_a(int)),
        ("(1,)[x]", "a", is_a(int)),
        ("b'a'[x]", "a", is_a(int)),
        ("[1][x:]", "a", is_a(int)),
        ("collections.deque([1])[x]", "a", is_a(int)),
        ("'a' * x", "b", is_a(int)),
        ("decimal.Context(prec=x)", "a", is_a(int)),
        ("struct.pack('i', x)", "a", is_a(int)),
        ("'%x' % x", "a", is_a(int)),
        ("'%d' % x", "a", is_a(float)),
        ("math.sqrt(x)", "a", is_a(float)),
        ("datetime.timedelta(x)", "a", is_a(float)),
        ("int(x)", "a", passed_to("int")),
        ("int(x)", [], passed_to("int")),
        ("int(x)", None, passed_to("int")),
        ("float(x)", "a", passed_to("float")),
        ("float(x)", [], passed_to("float")),
        ("1 + x", "a", (Fact((), Use.ARITHMETIC),)),
        ("divmod(x, 1)", "a", (Fact((), Use.ARITHMETIC),)),
        ("-x", "a", (Fact((), Use.ARITHMETIC),)),
        ("abs(x)", "a", (Fact((), Use.ARITHMETIC),)),
        ("round(x)", "a", (Fact((), Use.ARITHMETIC),)),
        ("'{:d}'.format(x)", "a", (Fact((), Use.ARITHMETIC),)),
        ("x < 1", "a", (Fact((), Use.ORDERED),)),
        ("1 < x", "a", (Fact((), Use.ORDERED),)),
        ("max(1, x)", "a", (Fact((), Use.ORDERED),)),
        # the other operand shows the type
        ("x < 'a'", 1, is_a(str)),
        ("'a' < x", 1, is_a(str)),
        ("datetime.datetime(2000, 1, 1) < x", 1, is_a(datetime.datetime)),
        ("datetime.timedelta(1) - x", 1, is_a(datetime.timedelta)),
        ("datetime.date(2000, 1, 1) + x", 1, is_a(datetime.timedelta)),
        ("decimal.Decimal(1) * x", 1.5, is_a(decimal.Decimal)),
        ("{1} | x", [], is_a(set)),
        ("x + 'a'", 1, is_a(str)),
        ("x - 'a'", 1, (Fact((), Use.ARITHMETIC),)),  # texts cannot be subtracted from anything
        ("x - 'a'", "a", (Fact((), Use.ARITHMETIC),)),  # both have the same type, so another type is needed
        # texts and bytes
        ("''.join([x])", 1, is_a(str)),
        ("b''.join([x])", "a", is_a(bytes)),
        ("'a' + x", 1, is_a(str)),
        ("b'a' + x", "a", is_a(bytes)),
        ("[1] + x", "a", is_a(list)),
        ("'a'.replace(x, 'b')", 1, is_a(str)),
        ("'a'.startswith(x)", 1, is_a(str)),
        ("'a'.split(x)", 1, is_a(str)),
        ("'a'.encode(x)", 1, is_a(str)),
        ("x in 'a'", 1, is_a(str)),
        ("str.lower(x)", 1, is_a(str)),
        ("ord(x)", 1, is_a(str)),
        ("getattr(1, x)", 1, is_a(str)),
        ("re.match('a', x)", 1, is_a(str)),
        ("json.loads(x)", 1, is_a(str)),
        ("datetime.date.fromisoformat(x)", 1, is_a(str)),
        ("datetime.datetime.strptime(x, '%Y')", 1, is_a(str)),
        ("os.environ.get(x)", 1, is_a(str)),
        ("io.StringIO().write(x)", b"a", is_a(str)),
        ("io.BytesIO().write(x)", "a", is_a(bytes)),
        ("memoryview(x)", "a", is_a(bytes)),
        ("str(x, 'utf8')", 1, is_a(bytes)),
        ("bytes(x)", "a", is_a(bytes)),
        ("int.from_bytes(x, 'big')", "a", is_a(bytes)),
        ("format(x, 'd')", [], (Fact((), Use.KEY),)),
        # paths and classes
        ("open(x)", [], is_a(os.PathLike)),
        ("os.path.join(x)", 1, is_a(os.PathLike)),
        ("os.stat(x)", [], is_a(os.PathLike)),
        ("isinstance(1, x)", 1, (Fact((), Use.SUBCLASS),)),
        ("issubclass(x, int)", 1, (Fact((), Use.SUBCLASS),)),
        ("issubclass(int, x)", "a", (Fact((), Use.SUBCLASS),)),
        ("super(x)", 1, (Fact((), Use.SUBCLASS),)),
        ("try: 1 / 0\nexcept x: pass", "a", (Fact((), Use.SUBCLASS),)),
        ("raise x", "a", (Fact((), Use.RAISED),)),
        ("raise ValueError from x", "a", (Fact((), Use.RAISED),)),
        # containers
        ("len(x)", 1, passed_to("len")),
        ("next(x)", [], is_a(collections.abc.Iterator)),
        ("reversed(x)", {1}, is_a(list)),
        ("[*x]", 1, (Fact((), Use.ITERATED),)),
        ("set().union(x)", 1, (Fact((), Use.ITERATED),)),
        ("print(*x)", 1, (Fact((), Use.ITERATED),)),
        ("''.join(x)", 1, (Fact((), Use.ITERATED),)),
        ("[1][0:1] = x", 1, (Fact((), Use.ITERATED),)),
        ("1 in x", 1, (Fact((), Use.CONTAINER),)),
        ("x[0]", 1, (Fact((), Use.INDEXED),)),
        ("x[0] = 1", 1, (Fact((), Use.INDEXED),)),
        ("x[0] = 1", "a", (Fact((), Use.INDEXED),)),
        ("del x[0]", 1, (Fact((), Use.INDEXED),)),
        ("del x[0]", "a", (Fact((), Use.INDEXED),)),
        ("x['a']", [1], (Fact((), Use.MAPPING),)),
        ("x['a']", "b", (Fact((), Use.MAPPING), *is_a(int))),  # the text or the index may be to blame
        ("{**x}", 1, (Fact((), Use.MAPPING),)),
        ("dict(**x)", 1, (Fact((), Use.MAPPING),)),
        ("dict(x)", ["a"], PAIRS),
        ("{}[x]", [], (Fact((), Use.KEY),)),
        ("{x}", [], (Fact((), Use.KEY),)),
        ("hash(x)", {}, (Fact((), Use.KEY),)),
        ("a, b = x", 1, (Fact((), Use.UNPACKED, 2),)),
        ("a, b, c = x", "a", (Fact((), Use.UNPACKED, 3),)),
        ("a, b = x", "abc", (Fact((), Use.UNPACKED, 2),)),
        ("a, *b, c = x", "a", (Fact((), Use.UNPACKED, 2),)),
        # what a value can do
        ("x.key", 1, (Fact((), Use.ATTRIBUTE, "key"),)),
        ("x.key = 1", "a", (Fact((), Use.ATTRIBUTE, "key"),)),
        ("x.key", None, (Fact((), Use.ATTRIBUTE, "key"),)),
        ("x()", 1, (Fact((), Use.CALLED),)),
        ("functools.partial(x)", 1, (Fact((), Use.CALLED),)),
        ("collections.defaultdict(x)", 1, (Fact((), Use.CALLED),)),
        ("with x: pass", 1, (Fact((), Use.CONTEXT),)),
    ],
)
def test_the_message_of_the_interpreter_reveals_a_use(code, x, expected):
    assert facts_in(str(error_of(code, x)), type(x).__name__, x) == expected


@pytest.mark.parametrize(
    ("code", "x", "other"),
    [
        ("x.key", 1, "a"),
        ("x()", 1, "a"),
        ("int(x)", "a", "b"),  # the message shows the text
        ("range(x)", "a", 1),
        ("1 < x", "a", 1.5),
        ("[1][x:]", "a", 1),  # the message does not show the type, but a number suits
        ("datetime.date.fromisoformat(x)", 1, "a"),
        ("dict(x)", ["a"], 1),
    ],
)
def test_values_of_other_types_are_not_to_blame(code, x, other):
    assert facts_in(str(error_of(code, x)), type(other).__name__, other) == ()


def test_the_name_of_the_module_of_a_type_does_not_matter():
    # CPython shows "datetime.timedelta" for a class in C and "Cart" for a class in Python.
    error = error_of("x.key", datetime.timedelta(1))
    assert facts_in(str(error), "timedelta", None) == (Fact((), Use.ATTRIBUTE, "key"),)
