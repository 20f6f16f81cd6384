"""A real `knobeln serve` whose clock the test sets."""

import os
import sys
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from knobeln.context import ContestContext
from tests.support.knobeln_server import Server

_CLOCK = "TEST_CLOCK"
# Python runs this file in every process that finds it on its path: in `serve`, and in the `run` of
# that.
_SITE = f"""import os
from datetime import datetime
from pathlib import Path

if {_CLOCK!r} in os.environ:
    from contest.util.clock import SystemClock

    SystemClock.now = lambda _clock: datetime.fromisoformat(
        Path(os.environ[{_CLOCK!r}]).read_text()
    )
"""


class ClockedServer(Server):
    """The server of this contest; its log and its clock are files of `place`."""

    def __init__(self, place: Path, folder: ContestContext, at: datetime) -> None:
        self.path, self.folder, self.log = place, folder, place / "log"
        (place / "site").mkdir()
        (place / "site" / "sitecustomize.py").write_text(_SITE)
        self._clock = place / "clock"
        self.environment: Mapping[str, str] = {
            **os.environ,
            _CLOCK: str(self._clock),
            "PYTHONPATH": os.pathsep.join([str(place / "site"), *sys.path]),
        }
        self.set_clock(at)
        self.start()

    def set_clock(self, at: datetime) -> None:
        self.now = at
        whole = self._clock.with_suffix(".new")
        whole.write_text(at.isoformat())
        whole.replace(self._clock)
