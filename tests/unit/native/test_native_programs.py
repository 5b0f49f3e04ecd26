"""A natively run program has the same output and exit code as under plain Python."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from program_runs import plain, watched

PROGRAMS = {
    "threads": """
        import threading
        class Counter:
            def __init__(self): self.value, self.lock = 0, threading.Lock()
            def add(self):
                for _ in range(200):
                    with self.lock: self.value += 1
        counter = Counter()
        threads = [threading.Thread(target=counter.add) for _ in range(4)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print(counter.value)
    """,
    "module globals": """
        import sys, os
        print(__name__, __file__, __spec__, __package__, __doc__, sorted(globals())[:9])
        print(sys.argv, sys.path[0] == os.path.dirname(os.path.realpath(__file__)))
        print(sys.modules["__main__"].__dict__ is globals(), type(__loader__).__name__, __builtins__.__name__)
        import helper
        print(helper.where())
        print(sys.stdin.read())
    """,
    "main guard": """
        if __name__ == "__main__":
            print("main")
    """,
    "click without a context": """
        import click
        print(click.get_current_context(silent=True))
        try: click.get_current_context()
        except RuntimeError as error: print(error)
    """,
    "click command": """
        import click
        @click.group()
        @click.pass_context
        def group(context):
            print(context.parent, context.find_root() is context, context.info_name, context.obj)
        @group.command()
        @click.option("--name", default="world")
        @click.pass_context
        def greet(context, name):
            print(name, context.parent.info_name, context.command_path)
            context.exit(5)
        @group.result_callback()
        def after(result): print("after", result)
        import sys
        print(group.main(args=["greet", "--name", "Ann"], standalone_mode=False))
        sys.argv[1:] = ["greet", "--wrong"]
        group()
    """,
    "exit code": "import sys; sys.exit(7)",
    "exit with text": "import sys; print('out'); sys.exit('some text')",
    "exit without a code": "import sys; sys.exit()",
    "exit code above 255": "raise SystemExit(300)",
    "exception": """
        def inner(items): return items[5]
        def outer():
            try: inner([])
            except IndexError as error: raise ValueError("here") from error
        outer()
    """,
    "exception in an attribute": """
        class Box: pass
        def ask(box): return box.nothing
        ask(Box())
    """,
    "exception in a thread": """
        import threading
        def fail(items): items.pop()
        thread = threading.Thread(target=fail, args=([],), name="the one that fails")
        thread.start()
        thread.join()
        print("main continues")
    """,
    "excepthook": """
        import sys
        sys.excepthook = lambda kind, error, trace: print("hook", kind.__name__, error, trace.tb_lineno)
        raise RuntimeError("oh")
    """,
    "syntax error": "def f(:\n    pass",
    "atexit and late threads": """
        import atexit, threading, time
        atexit.register(lambda: print("at exit"))
        def late():
            go.wait()
            print("late")
        go = threading.Event()
        threading.Thread(target=late).start()
        print("main ends")
        go.set()
    """,
    "daemon": """
        import threading, time
        started = threading.Event()
        def forever():
            started.set()
            while True: time.sleep(0.001)
        threading.Thread(target=forever, daemon=True).start()
        started.wait()
        print("ends")
    """,
    "os._exit": """
        import os, sys
        print("before", flush=True)
        os._exit(9)
    """,
    "pool": """
        from concurrent.futures import ThreadPoolExecutor
        import functools
        def work(n, power): return n ** power
        with ThreadPoolExecutor(3) as pool:
            print(sum(pool.map(functools.partial(work, power=2), range(50))))
            print(pool.submit(work, 2, power=3).result(timeout=600))
    """,
    "asyncio": """
        import asyncio, threading
        results = []
        def blocking(n): results.append(threading.current_thread() is threading.main_thread()); return n
        async def main():
            lock = asyncio.Lock()
            async def one(n):
                async with lock: return await asyncio.to_thread(blocking, n)
            print(await asyncio.gather(*(one(n) for n in range(5))))
            print(await asyncio.get_running_loop().run_in_executor(None, blocking, 9))
        asyncio.run(main())
        print(results)
    """,
    "locks and timers": """
        import threading, queue, logging, contextlib
        lock, rlock = threading.Lock(), threading.RLock()
        condition = threading.Condition(lock)
        with condition: condition.notify_all()
        print(isinstance(rlock, type(threading.RLock())), isinstance(lock, type(threading.Lock())))
        print(repr(lock).split(" at ")[0], lock.locked(), lock.acquire(timeout=1), lock.release())
        with contextlib.ExitStack() as stack:
            stack.enter_context(lock)
            stack.enter_context(rlock)
            print(lock.locked(), rlock.acquire(blocking=False))
            rlock.release()
        logging.basicConfig(format="%(message)s")
        logging.warning("logged")
        timer = threading.Timer(0.001, print, ["timer"])
        timer.start()
        timer.join()
        local = threading.local()
        local.x = 1
        print(local.x, threading.active_count(), [thread.name for thread in threading.enumerate()])
    """,
    "signals": """
        import os, signal, threading
        seen = []
        signal.signal(signal.SIGUSR1, lambda number, frame: seen.append(number))
        class Box: pass
        box = Box()
        for n in range(3000):
            box.n = n
            if n % 500 == 0: os.kill(os.getpid(), signal.SIGUSR1)
        print(len(seen), box.n)
    """,
    "destructors": """
        import gc
        ended = []
        class Node:
            def __init__(self): self.me, self.items = self, [1, 2]
            def __del__(self): ended.append(len(self.items))
        for _ in range(2000): Node()
        gc.collect()
        print(len(ended), set(ended))
    """,
    "recursion": """
        import sys
        class Box:
            depth = 0
            def dive(self): self.depth += 1; self.dive()
        box = Box()
        try: box.dive()
        except RecursionError: print("too deep", box.depth > 100)
        print(sys.getrecursionlimit())
    """,
    "classes": """
        import dataclasses, enum, typing
        @dataclasses.dataclass(slots=True)
        class Point:
            x: int
            y: list = dataclasses.field(default_factory=list)
        class Color(enum.Enum):
            RED = 1
        class Lazy:
            def __getattr__(self, name): return name.upper()
        class Watched(dict):
            def __getattribute__(self, name): return super().__getattribute__(name)
        print(Watched(a=1).copy())
        point = Point(1)
        point.y.append(2)
        print(point, Color.RED, Lazy().color, dataclasses.replace(point, x=3))
        d = {"a": 1}
        for key, value in d.items(): print(key, value, d.get("b", []), sorted(d, key=d.get))
        print(getattr(point, "z", "no z"), hasattr(point, "x"), [*map(str, d)], next(iter([5])), list(reversed([1, 2])))
    """,
}


def write(folder: Path, source: str) -> None:
    (folder / "program.py").write_text(dedent(source).lstrip("\n"))
    (folder / "helper.py").write_text("import os\ndef where(): return __name__, os.path.basename(__file__)\n")


@pytest.mark.parametrize("name", PROGRAMS)
def test_output_and_exit_code_are_the_same_as_with_plain_python(tmp_path: Path, name: str) -> None:
    write(tmp_path, PROGRAMS[name])
    expected = plain(tmp_path, "program.py", "--some", "-m", "arguments", stdin="given")
    ended = watched(tmp_path, "program.py", "--some", "-m", "arguments", stdin="given")
    assert ended == expected
    if name != "syntax error":
        assert ended.summary["notes"] == []
        assert ended.summary["steps"] > 0


def test_option_m_runs_a_module_as_python_does(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "__init__.py").write_text("")
    (tmp_path / "shop" / "cart.py").write_text("class Cart:\n    total = 3\n")
    (tmp_path / "shop" / "__main__.py").write_text(
        "import sys\nfrom .cart import Cart\nfrom . import cart\n"
        "print(__name__, __package__, __spec__.name, Cart.total, cart.__name__, sys.argv[1:], sys.path[0])\n"
    )
    for args in (("-m", "shop", "-x", "--json"), ("-m", "shop.__main__", "a"), ("-mshop", "-q")):
        assert watched(tmp_path, *args) == plain(tmp_path, *args), args


def test_a_folder_runs_as_python_runs_it(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "cart.py").write_text("class Cart:\n    total = 3\n")
    (tmp_path / "shop" / "__main__.py").write_text(
        "import sys, cart\nprint(__name__, __package__, __spec__.name, cart.Cart.total, sys.argv, sys.path[0])\n"
    )
    assert watched(tmp_path, "shop", "-h") == plain(tmp_path, "shop", "-h")


def test_pytest_runs_under_raddle_run(tmp_path: Path) -> None:
    (tmp_path / "counter.py").write_text("class Counter:\n    def __init__(self): self.value = 0\n")
    (tmp_path / "conftest.py").write_text("import pytest\n@pytest.fixture\ndef three(): return 3\n")
    (tmp_path / "test_counter.py").write_text(
        dedent(
            """
            import threading
            from counter import Counter
            def test_it(three):
                counter = Counter()
                def add(): counter.value += 1
                threads = [threading.Thread(target=add) for _ in range(three)]
                for thread in threads: thread.start()
                for thread in threads: thread.join()
                assert counter.value == 3
            def test_fails(): assert [1] == [2]
            """
        )
    )
    ended = watched(tmp_path, "-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:cacheprovider")
    assert ended.code == 1
    assert "assert [1] == [2]" in ended.out
    assert "1 failed, 1 passed" in ended.out
    assert ended.summary["threads"] == 4
    assert ended.summary["not_instrumented"] == []


def test_an_interrupted_program_ends_as_with_plain_python(tmp_path: Path) -> None:
    write(tmp_path, "import os, signal\nprint('one', flush=True)\nos.kill(os.getpid(), signal.SIGINT)\nprint('two')\n")
    expected = plain(tmp_path, "program.py")
    ended = watched(tmp_path, "program.py")
    assert (ended.code, ended.out) == (expected.code, expected.out)
    assert ended.err.splitlines()[-1].startswith("KeyboardInterrupt")
    assert ended.summary["threads"] == 1
