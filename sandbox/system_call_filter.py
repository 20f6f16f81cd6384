"""The filter of the system calls in a sandbox: an allow list that the kernel applies (seccomp).

`seccomp/<architecture>.bpf` is the filter as bubblewrap loads it, `.txt` the same for readers.
`tools/system_call_filter.py` makes both, and says which calls are refused and why.
"""

from __future__ import annotations

import platform
from functools import cache
from pathlib import Path

from contest.errors import ToolMissing

_FOLDER = Path(__file__).parent / "seccomp"


@cache
def system_call_filter() -> bytes:
    """The filter for this host. Raises ToolMissing if there is none: then nothing foreign may start."""
    architecture = platform.machine()
    try:
        return (_FOLDER / f"{architecture}.bpf").read_bytes()
    except FileNotFoundError:
        made = (
            ", ".join(sorted(path.stem for path in _FOLDER.glob("*.bpf"))) or "none, so install knobeln again"
        )
        raise ToolMissing(
            f"no foreign program is started on this host: {_FOLDER} has no filter of system calls for its "
            f"architecture, {architecture} (those that have one: {made}). "
            "tools/system_call_filter.py in the sources of knobeln makes the filters"
        ) from None
