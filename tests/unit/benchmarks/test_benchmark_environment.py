"""Why pip failed, in one line."""

import environment


def test_a_package_for_another_python() -> None:
    said = (
        "WARNING: something\n"
        "ERROR: Ignored the following versions that require a different python version: "
        "0.1.0 Requires-Python >=3.12\n"
        "ERROR: No matching distribution found\n"
    )
    assert environment.why(said).endswith("0.1.0 Requires-Python >=3.12")


def test_a_build_that_failed() -> None:
    said = "  error: subprocess-exited-with-error\n      OSError: Readme file does not exist: README.md\n"
    assert environment.why(said) == "OSError: Readme file does not exist: README.md"


def test_silence() -> None:
    assert environment.why("") == "pip failed without an error message"
