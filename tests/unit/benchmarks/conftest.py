"""Adds the benchmark folder to `sys.path`, so that tests can import its scripts."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3] / "benchmarks"))
