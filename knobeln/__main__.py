"""The program `knobeln`, also as `python -m knobeln`.

What it loads stays until it ends, so to look for garbage in it is in vain: that would take a
quarter of the time of a short command. Python looks only at what the command makes.
"""

from __future__ import annotations

import atexit
import gc


def main() -> None:
    """Run the command line, without looking for garbage before a command is loaded or at the
    end."""
    gc.disable()
    atexit.register(gc.freeze)
    from knobeln.cli.main import main as command_line

    command_line(prog_name="knobeln")


if __name__ == "__main__":
    main()
