"""The programs of the other folders are shrunk here too."""

import sys
from pathlib import Path

for folder in ("programs", "differential"):
    sys.path.append(str(Path(__file__).parent.parent.parent / folder))
