"""Makes the benchmark scripts importable, as they import each other."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3] / "benchmarks"))
