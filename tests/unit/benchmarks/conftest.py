"""The benchmark is a folder of scripts: import them the way they import one another."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3] / "benchmarks"))
