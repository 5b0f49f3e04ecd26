"""Makes the programs in two other test folders importable, because the tests here shrink their failures."""

import sys
from pathlib import Path

for folder in ("programs", "differential"):
    sys.path.append(str(Path(__file__).parent.parent.parent / folder))
