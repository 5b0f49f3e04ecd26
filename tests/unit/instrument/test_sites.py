"""Sites: their names and positions, and whether CPython can switch threads before them."""

from __future__ import annotations

import ast

import pytest
from probed_source import accesses, sites

from raddle.instrument import rewrite, site_base
from raddle.instrument.sites import SiteMaker, TooManySitesError
from raddle.site import INDEX_BITS, MAX_SITES, Site


def test_sites_have_kinds_names_and_positions() -> None:
    found = rewrite(
        "class Counter:\n    def increment(self):\n        with self.lock:\n            self.n = len(self.items[0])\n",
        file="shop/counter.py",
        base=100,
    ).sites
    function = "Counter.increment"
    expected = [
        ("enter", 2, 4, ""),
        ("read", 3, 13, "lock"),
        ("call", 3, 13, "self.lock"),
        ("call", 4, 21, "len"),
        ("read", 4, 25, "items"),
        ("read", 4, 25, "self.items[]"),
        ("write", 4, 12, "n"),
        ("leave", 2, 4, ""),
    ]
    assert [(site.kind, site.line, site.column, site.name) for site in found] == expected
    assert {(site.file, site.function) for site in found} == {("shop/counter.py", function)}


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("x.a", "a"),
        ("x[0]", "x[]"),
        ("x.y.z[0]", "x.y.z[]"),
        ("f()[0]", "[]"),
        ("x[0][1]", "[]"),
        ("x.append(1)", "x.append"),
        ("f().append(1)", ""),
        ("1 in x.y", "x.y[]"),
        (f"x.{'y' * 50}.append(1)", ""),  # longer than 40 characters
        ("len(x)", "len"),
        ("[*x]", "x[]"),
        ("del x.a", "a"),
        ("del x[0]", "x[]"),
        ("x += y", "x[]"),
    ],
)
def test_a_site_is_named_after_its_expression(source: str, name: str) -> None:
    assert sites(source)[-1].name == name


def test_site_names_have_no_spaces() -> None:
    assert all(" " not in site.name for site in sites("f(a, b)[1].append(x[1, 2])\n{1: 2}.get(x, y).z"))


def test_private_names_are_shown_as_written() -> None:
    assert accesses("class C:\n    def f(self): return self.__x") == ["2 read __x !"]


@pytest.mark.parametrize(
    ("source", "function"),
    [
        ("x.a", "<module>"),
        ("class C:\n    x.a", "C"),
        ("class C:\n    def m(self): x.a", "C.m"),
        ("def f():\n    def g(): x.a", "f.<locals>.g"),
        ("def f():\n    class C:\n        def m(self): x.a", "f.<locals>.C.m"),
        ("def f():\n    return lambda: x.a", "f.<locals>.<lambda>"),
        (
            "def f():\n    return [x.a for i in j]",
            "f",
        ),  # as in Python 3.12 and later, where a comprehension has no frame
        ("def f():\n    return (x.a for i in ())", "f.<locals>.<genexpr>"),
        ("def f():\n    global g\n    def g(): x.a", "g"),
    ],
)
def test_a_site_has_the_qualified_name_of_its_function(source: str, function: str) -> None:
    assert [site.function for site in sites(source) if site.name == "a"] == [function]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # A switch is possible at a function's entry, but not between the read and the write.
        ("c.n += 1", ["read n !", "write c.n[]", "write n"]),
        ("c.a = c.a + 1", ["read a !", "write a"]),
        ("c.a = c.a + c.b", ["read a !", "read c.a[]", "read b", "read c.b[]", "write a"]),
        # A switch is possible after a call.
        ("c.n = f(c.n)", ["read n !", "write n !"]),
        ("c.n += f()", ["read n !", "write c.n[] !", "write n !"]),
        # No switch is possible between the read that fetches the dictionary and the access to the dictionary.
        ("f()\nc.d[0] = 1", ["read d !", "write c.d[]"]),
        ("f()\nc.d[f()] = 1", ["read d !", "write c.d[] !"]),
        ("d[0] += 1", ["read d[] !", "write []", "write d[]"]),
        # The method is looked up before its argument is evaluated, and is called afterwards.
        ("c.a\nx.append(1)\nc.b", ["read a !", "call x.append", "read b !"]),
        ("c.a\nx.append(f())", ["read a !", "call x.append !"]),
        # No switch is possible between the check and the act. `c.b[]` is the content of the object in `c.b`.
        ("f()\nif c.b: c.b = 1", ["read b !", "read c.b[]", "write b"]),
        ("f()\nif not c.b: c.b = 1", ["read b !", "read c.b[]", "write b"]),
        ("f()\nif c.b: c.b.pop()", ["read b !", "read c.b[]", "read b", "call c.b.pop"]),
        # If the local `x` holds a number, testing it is not a shared access, so a switch stays possible.
        ("f()\nif x: c.b = 1", ["read x[] !", "write b !"]),
        # After branches, a switch is possible if it is possible on some path.
        ("c.a\nif c.b: f()\nc.d", ["read a !", "read b", "read c.b[]", "read d !"]),
        ("c.a\nif c.b: pass\nc.d", ["read a !", "read b", "read c.b[]", "read d"]),
        ("c.a\nif c.b: return f()\nc.d", ["read a !", "read b", "read c.b[]", "read d"]),
        ("c.a\nc.b or f()\nc.d", ["read a !", "read b", "read c.b[]", "read d !"]),
        ("c.a\nf() if c.b else c.d\nc.e", ["read a !", "read b", "read c.b[]", "read d", "read e !"]),
        # A switch is possible at the backward jump of a loop. The iterable is read before the loop.
        ("c.a\nwhile c.b: c.d\nc.e", ["read a !", "read b !", "read c.b[]", "read d", "read e"]),
        ("c.a\nfor x in c.b: c.d\nc.e", ["read a !", "read b", "read c.b[] !", "read d !", "read e !"]),
        ("c.a\nwhile c.b == 1:\n    c.d\nc.e", ["read a !", "read b !", "read d", "read e"]),
        ("c.a\nwhile c.b == 1:\n    f()\n    break\nc.e", ["read a !", "read b !", "read e !"]),
        # `with` calls __enter__ and __exit__.
        ("c.a\nwith c.l: c.b\nc.d", ["read a !", "read l", "call c.l", "read b !", "read d !"]),
        # A call may have raised the exception, so a switch is possible in the handler. After the handler, `c.b` is the
        # last access.
        ("try: c.a\nexcept E: c.b\nc.d", ["read a !", "read b !", "read d"]),
        ("try: c.a\nfinally: c.b", ["read a !", "read b !"]),
        # These statements run other code, so a switch is possible after each of them.
        ("c.a\nyield\nc.b", ["read a !", "read b !"]),
        ("c.a\nimport m\nc.b", ["read a !", "read b !"]),
        ("c.a\nclass D: c.b\nc.d", ["read a !", "read b !", "read d !"]),
        # The body of a lambda runs in a later call. Creating the lambda is not a call.
        ("c.a\nlambda: c.b\nc.d", ["read a !", "read b !", "read d"]),
        ("c.a\nassert c.b, f()\nc.d", ["read a !", "read b", "read c.b[]", "read d"]),
        ("c.a\nmatch c.b:\n    case 1: f()\nc.d", ["read a !", "read b", "read c.b[]", "read d !"]),
    ],
)  # fmt: skip
def test_sites_before_which_cpython_can_switch_are_marked(body: str, expected: list[str]) -> None:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    found = accesses(f"def function(c, d, x):\n{lines}")
    assert [access.partition(" ")[2] for access in found] == expected


def test_a_switch_is_possible_at_entry_first_access_and_exit() -> None:
    enter, read, leave = rewrite("def f(x): return x.a", file="m.py", base=0).sites
    assert (enter.kind, read.kind, leave.kind) == ("enter", "read", "leave")
    assert enter.switchable
    assert read.switchable
    assert leave.switchable


def test_site_numbers_are_deterministic() -> None:
    base = site_base("m.py", "x.a")
    assert base % MAX_SITES == 0
    assert base < 1 << (40 + INDEX_BITS)
    assert base == site_base("m.py", b"x.a") == site_base("m.py", "x.a")


def test_line_ends_and_encoding_do_not_change_site_numbers() -> None:
    assert site_base("m.py", b"x.a\r\ny.b\r\n") == site_base("m.py", b"x.a\ny.b\n")
    assert site_base("m.py", b"# coding: latin-1\n'\xe9'\n") == site_base("m.py", "# coding: latin-1\n'é'\n")


def test_site_numbers_depend_on_file_source_and_options() -> None:
    bases = {site_base(*parts) for parts in [("m.py", "x"), ("n.py", "x"), ("m.py", "y"), ("m.py", "x", "o")]}
    assert len(bases) == 4


def test_site_numbers_count_up_from_the_base() -> None:
    found = rewrite("x.a.b", file="m.py", base=7)
    assert ast.unparse(found.tree) == "__raddle__.read(__raddle__.read(x, 'a', 7), 'b', 8)"
    assert [site.name for site in found.sites] == ["a", "b"]


def test_a_module_with_too_many_sites_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("raddle.instrument.sites.MAX_SITES", 3)
    assert len(rewrite("x.a\n" * 3, file="m.py", base=0).sites) == 3
    with pytest.raises(TooManySitesError, match=r"m.py has more than 3 sites.*raddle: ignore"):
        rewrite("x.a\n" * 4, file="m.py", base=0)


def test_sites_are_the_same_with_and_without_tokens() -> None:
    source = "def f():\n    x = 0\n    def g():\n        nonlocal x\n        x += 1\n    return g"
    with_tokens, without_tokens = (
        rewrite(source, file="m.py", base=0, tokens=tokens).sites for tokens in (True, False)
    )
    assert with_tokens == without_tokens


def test_sites_compare_by_value() -> None:
    assert sites("x.a") == [Site("m.py", 1, 0, "read", "a", "<module>", switchable=True)]
    assert SiteMaker("m.py", 0).finish() == ()
