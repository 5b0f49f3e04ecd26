"""Makes the programs of two other test folders importable, so that tests here can shrink their failures."""

import sys
from pathlib import Path

for folder in ("programs", "differential"):
    sys.path.append(str(Path(__file__).parent.parent.parent / folder))
