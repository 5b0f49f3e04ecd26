"""Makes the programs of `tests/programs` and `tests/differential` importable."""

import sys
from pathlib import Path

for folder in ("programs", "differential"):
    sys.path.append(str(Path(__file__).parent.parent / folder))
