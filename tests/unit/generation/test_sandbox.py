import os
import sys

from raddle.generation.sandbox import Sandbox


def test_a_relative_path_does_not_name_the_users_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").write_text("precious")
    with Sandbox():
        assert not os.path.exists("a")
        open("a", "w").close()
    assert (tmp_path / "a").read_text() == "precious"


def test_the_folder_is_emptied_even_if_it_was_deleted_or_left(tmp_path):
    with Sandbox() as sandbox:
        os.makedirs("b/c")
        os.symlink(tmp_path, "link")
        (tmp_path / "kept").write_text("")
        sandbox.empty()
        assert os.listdir() == []
        os.chdir(tmp_path)
        os.rmdir(sandbox.folder)
        sandbox.empty()
        assert os.path.samefile(os.getcwd(), sandbox.folder)
    assert os.listdir(tmp_path) == ["kept"]
    assert not os.path.exists(sandbox.folder)


def test_modules_in_the_working_directory_can_still_be_imported(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    with Sandbox():
        assert sys.path[0] == str(tmp_path)
    assert sys.path[0] == ""
