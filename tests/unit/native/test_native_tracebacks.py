"""Tracebacks and stacks that a program prints are the same as without raddle."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from program_runs import plain, watched

SOURCE = """
import logging, threading, traceback
class Shop:
    def __init__(self): self.items = {}
    def item(self, name): return self.items[name]
    def missing(self): return self.nothing
shop = Shop()
def show():
    for call in (lambda: shop.item("x"), shop.missing, lambda: [].pop(), lambda: next(iter([])), lambda: sum([1, "a"])):
        try: call()
        except Exception as error:
            print(traceback.format_exc())
            logging.exception("oh")
            print([frame.name for frame in traceback.extract_tb(error.__traceback__)])
    print("".join(traceback.format_stack()))
    print([frame.f_code.co_name for frame, _ in traceback.walk_stack(None)])
def work():
    with threading.Lock(): show()
thread = threading.Thread(target=work)
thread.start()
thread.join()
work()
"""


@pytest.mark.parametrize("options", [("--criteria", "none"), ("--criteria", "none", "--noise", "yield")])
def test_printed_tracebacks_are_unchanged(tmp_path: Path, options: tuple[str, ...]) -> None:
    (tmp_path / "program.py").write_text(SOURCE)
    expected = plain(tmp_path, "program.py")
    assert expected.code == 0
    assert expected.out.count("Traceback") == 2 * 5
    assert watched(tmp_path, "program.py", options=options) == expected


def test_pytest_shows_no_frames_of_raddle(tmp_path: Path) -> None:
    source = """
    class Shop:
        def __init__(self): self.items = {}
        def item(self, name): return self.items[name]
    def test_it(): Shop().item("x")
    """
    (tmp_path / "test_shop.py").write_text(dedent(source))
    ended = watched(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_shop.py")
    assert ended.code == 1
    assert "test_shop.py:4: KeyError" in ended.out
    assert "raddle" not in ended.out.replace(str(tmp_path), "")
