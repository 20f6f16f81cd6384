"""Make the Python whose time is counted, and note its sha256 in sandbox/fuel/cpython.py.

Run `python tools/python_guest.py` after a change of sandbox/fuel/python_guest/. Contests whose
programs were built for another sha256 cannot be computed again with the new one.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from sandbox.fuel import cpython
from sandbox.sandbox import Sandbox


def main() -> None:
    digest = hashlib.sha256(cpython.made_python_module(Sandbox())).hexdigest()
    file = Path(cpython.__file__)
    line = f'SHA256 = "{digest}"'
    file.write_text(re.sub(r'^SHA256 = "\w*"$', line, file.read_text(), flags=re.MULTILINE))
    print(line)


if __name__ == "__main__":
    main()
