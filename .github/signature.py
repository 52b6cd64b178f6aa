"""`python .github/signature.py wadjet`: whether an installed engine searches as it must.

It is started away from this repository, and without Python or other programs in PATH.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

expected = (Path(__file__).parents[1] / "tests" / "bench_signature.txt").read_text("utf-8").strip()
program = shutil.which(sys.argv[1])
if program is None:
    sys.exit(f"there is no program {sys.argv[1]}")
command, alone = [str(Path(program).absolute()), "bench"], {**os.environ, "PATH": ""}
with tempfile.TemporaryDirectory() as elsewhere:
    printed = subprocess.check_output(command, cwd=elsewhere, env=alone, encoding="utf-8")
found = re.search(r"^Nodes searched *: (\d+)$", printed, re.MULTILINE)
if found is None or found[1] != expected:
    sys.exit(f"{program} bench: expected {expected} nodes\n{printed}")
print(f"{program}: {expected} nodes")
