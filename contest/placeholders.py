"""The placeholders in the commands of languages. A team's kit has this module, too."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath

PLACEHOLDERS = {
    "tool": "the language's program on this host, e.g. /usr/bin/python3",
    "home": "the folder that contains its folder `bin`",
    "program": "the file that was sent, in the working folder",
    "stem": "its name without the suffix",
    "result": "the file that the build makes",
    "memory": "the program's memory in MB",
    "bytes": "the same in bytes",
}
"""What the words of commands may contain in braces."""


def values_of(tool: str, home: Path, program: str, result: str, memory_mb: int) -> Mapping[str, str]:
    """The values for all placeholders. `home`: where the tool is installed."""
    return {
        "tool": tool,
        "home": str(home),
        "program": program,
        "stem": PurePosixPath(program).stem,
        "result": result,
        "memory": str(memory_mb),
        "bytes": str(memory_mb * 2**20),
    }
