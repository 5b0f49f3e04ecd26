"""The guard refuses changes outside its folder, whatever way a path is written."""

from __future__ import annotations

import os

import pytest

from raddle.generation.file_guard import REFUSED, FileGuard


@pytest.fixture
def guard(tmp_path, monkeypatch):
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (inside / "link").symlink_to(outside)
    monkeypatch.chdir(inside)
    return FileGuard(str(inside))


@pytest.mark.parametrize(
    ("event", "arguments"),
    [
        ("open", ("{outside}/a", "w", os.O_WRONLY | os.O_CREAT)),
        ("open", ("../outside/a", "a", os.O_WRONLY | os.O_APPEND)),
        ("open", ("link/a", "w", os.O_WRONLY)),
        ("open", (b"../a", None, os.O_RDWR)),
        ("os.remove", ("{outside}/a", -1)),
        ("os.remove", ("link/a", -1)),
        ("os.rename", ("a", "../a", -1, -1)),
        ("os.rename", ("../a", "a", -1, -1)),
        ("os.mkdir", ("{inside}-too", 0o777, -1)),
        ("shutil.rmtree", ("..", None)),
        ("sqlite3.connect", ("file:../data.db?mode=rw",)),
    ],
)
def test_a_change_outside_the_folder_is_refused(guard, tmp_path, event, arguments):
    places = {"inside": tmp_path / "inside", "outside": tmp_path / "outside"}
    with pytest.raises(PermissionError, match=REFUSED):
        guard.check(event, tuple(one.format(**places) if isinstance(one, str) else one for one in arguments))


@pytest.mark.parametrize(
    ("event", "arguments"),
    [
        ("open", ("{outside}/a", "r", os.O_RDONLY)),
        ("open", ("{inside}/a", "w", os.O_WRONLY)),
        ("open", ("a", "w", os.O_WRONLY)),
        ("open", ("/dev/null", "w", os.O_WRONLY)),
        ("open", (1, "w", os.O_WRONLY)),
        ("os.remove", ("link", -1)),
        ("os.chdir", ("/",)),  # relative paths then name files outside the folder, which are protected
        ("os.mkdir", ("{inside}/b/c", 0o777, -1)),
        ("sqlite3.connect", (":memory:",)),
        ("sqlite3.connect", ("",)),
        ("socket.connect", ("{outside}",)),
    ],
)
def test_other_events_are_allowed(guard, tmp_path, event, arguments):
    places = {"inside": tmp_path / "inside", "outside": tmp_path / "outside"}
    guard.check(event, tuple(one.format(**places) if isinstance(one, str) else one for one in arguments))


def test_a_path_relative_to_an_open_folder(guard, tmp_path):
    if not os.path.exists("/proc/self/fd"):
        pytest.skip("the folder of a descriptor is not known")
    number = os.open(tmp_path / "outside", os.O_RDONLY)
    try:
        with pytest.raises(PermissionError):
            guard.check("os.remove", ("a", number))
    finally:
        os.close(number)


def test_changes_of_files_in_the_working_directory_are_noticed(guard, tmp_path):
    guard.check("open", (str(tmp_path / "inside" / "a"), "w", os.O_WRONLY))
    assert not guard.saw_relative_path
    guard.check("open", ("a", "w", os.O_WRONLY))
    assert guard.saw_relative_path


def test_the_working_directory_decides_what_a_relative_path_names(guard, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PermissionError, match=REFUSED):
        guard.check("os.remove", ("a", -1))
    assert guard.refused == str(tmp_path / "a")
