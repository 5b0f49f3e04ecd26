"""The benchmark that compares two checkouts of raddle."""

import two_trees


def test_a_ratio_is_the_speed_of_the_new_tree_over_that_of_the_old_one() -> None:
    # The fastest batches took 2 s (old) and 1 s (new). Batch by batch, the new tree is 2, 1 and 0.5 times as fast. The
    # median is 1.
    assert two_trees.ratios(([2.0, 4.0, 2.0], [1.0, 4.0, 4.0])) == (2.0, 1.0)


def test_each_cell_has_a_line_and_each_benchmark_a_summary() -> None:
    # The ratio of "criteria a" is 2e-6 / 1e-6 = 2, and that of "criteria b" is 1e-6 / 4e-6 = 0.25. The minimum is 0.25
    # and the median 1.125.
    found = {"criteria a": ([2e-6], [1e-6]), "criteria b": ([1e-6], [4e-6]), "explore c": None}
    assert [line.split() for line in two_trees.text(found).splitlines()] == [
        ["CPU", "microseconds", "each", "old", "new", "ratio", "of", "best", "median", "ratio"],
        ["criteria", "a", "2.00", "1.00", "2.000", "2.000"],
        ["criteria", "b", "1.00", "4.00", "0.250", "0.250"],
        ["explore", "c", "-", "-", "-", "-"],
        [],
        [
            "ratios",
            "cells",
            "least",
            "of",
            "best",
            "median",
            "of",
            "best",
            "least",
            "of",
            "medians",
            "median",
            "of",
            "medians",
        ],
        ["criteria", "2", "0.250", "1.125", "0.250", "1.125"],
    ]


def test_a_tree_is_a_checkout_or_an_interpreter(tmp_path) -> None:
    python = tmp_path / "python"
    python.touch()
    assert two_trees.interpreter(python) == python
    assert two_trees.interpreter(tmp_path) == tmp_path / ".venv" / "bin" / "python"
