"""The one-line reason that is extracted from pip's output when pip fails."""

import environment


def test_the_reason_names_the_required_python_version() -> None:
    output = (
        "WARNING: something\n"
        "ERROR: Ignored the following versions that require a different python version: "
        "0.1.0 Requires-Python >=3.12\n"
        "ERROR: No matching distribution found\n"
    )
    assert environment.why(output).endswith("0.1.0 Requires-Python >=3.12")


def test_the_reason_of_a_failed_build_is_its_exception() -> None:
    output = "  error: subprocess-exited-with-error\n      OSError: Readme file does not exist: README.md\n"
    assert environment.why(output) == "OSError: Readme file does not exist: README.md"


def test_pip_may_fail_without_output() -> None:
    assert environment.why("") == "pip failed without an error message"
