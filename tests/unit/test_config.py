"""Settings are read from pyproject.toml and checked."""

from __future__ import annotations

import pytest

from raddle import config
from raddle.errors import UsageError


def write(folder, text):
    file = folder / "pyproject.toml"
    file.write_text(text)
    return file


def test_settings_come_from_the_nearest_file_above_the_folder(tmp_path):
    write(tmp_path, '[tool.raddle]\nexecutions = 7\nsource = ["shop"]\nstep-limit = 9\n')
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert config.load(inner).options() == {"executions": 7, "source": ("shop",), "step_limit": 9}


def test_a_file_without_a_raddle_table_has_no_settings(tmp_path):
    assert config.read(write(tmp_path, "[project]\nname = 'x'\n")).options() == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tool.raddle]\nexecutoins = 7\n", "has no key 'executoins'; did you mean executions?"),
        ("[tool.raddle]\nexecutions = 'many'\n", "executions must be an int, not 'many'"),
        ("[tool.raddle]\nseed = true\n", "seed must be an int, not True"),
        ("[tool.raddle]\nseconds = 'long'\n", "seconds must be an int or a float, not 'long'"),
        ("[tool.raddle]\nscheduler = 1\n", "scheduler must be a str, not 1"),
        ("[tool.raddle]\nthread-methods = 'few'\n", "thread-methods must be an int, not 'few'"),
        ("[tool.raddle\n", "cannot be read as TOML"),
        ("[tool]\nraddle = 3\n", "tool.raddle must be a table"),
    ],
)
def test_a_wrong_setting_is_rejected_with_a_message(tmp_path, text, message):
    with pytest.raises(UsageError) as caught:
        config.read(write(tmp_path, text))
    assert message in str(caught.value)


def test_a_threshold_is_not_an_option_of_explorations(tmp_path):
    settings = config.read(write(tmp_path, '[tool.raddle]\nexecutions = 7\nfail_under = ["map=60"]\n'))
    assert settings.fail_under == ("map=60",)
    assert settings.options() == {"executions": 7}


def test_the_options_of_generate_have_their_own_table(tmp_path):
    text = '[tool.raddle]\nexecutions = 7\n[tool.raddle.generate]\nmax-tests = 9\nexclude = ["close"]\n'
    settings = config.read(write(tmp_path, text))
    assert settings.options() == {"executions": 7}
    assert settings.generate.options() == {"max_tests": 9, "exclude": ("close",)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tool.raddle.generate]\nexecutions = 7\n", "[tool.raddle.generate] has no key 'executions'"),
        ("[tool.raddle.generate]\nseed = 'x'\n", "[tool.raddle.generate] seed must be an int, not 'x'"),
        ("[tool.raddle]\ngenerate = 3\n", "tool.raddle.generate must be a table"),
    ],
)
def test_a_wrong_setting_of_generate_is_rejected(tmp_path, text, message):
    with pytest.raises(UsageError) as caught:
        config.read(write(tmp_path, text))
    assert message in str(caught.value)
