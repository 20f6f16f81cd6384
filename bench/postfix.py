"""Postfix, the peer for letters and mails: an instance of its own, which touches nothing of the system's.

It needs root.
"""

from __future__ import annotations

import os
import pwd
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.servers import DISK
from tests.support.servers import POSTFIX_INSTANCE

_MASTER = Path("/usr/lib/postfix/sbin/master")
_MAIN_CF = (
    POSTFIX_INSTANCE
    + """
smtpd_relay_restrictions = permit_mynetworks, reject
smtpd_peername_lookup = no
smtpd_client_connection_count_limit = 0
alias_maps =
alias_database =
in_flow_delay = 0
"""
)
_MASTER_CF = """
cleanup   unix n - n - 0 cleanup
rewrite   unix - - n - - trivial-rewrite
bounce    unix - - n - 0 bounce
defer     unix - - n - 0 bounce
proxymap  unix - - n - - proxymap
anvil     unix - - n - 1 anvil
postlog   unix-dgram n - n - 1 postlogd
"""


def is_here() -> bool:
    """Whether it is installed, and we are root."""
    return os.getuid() == 0 and _MASTER.exists()


def user() -> int:
    """The number of the user as whom it works."""
    return pwd.getpwnam("postfix").pw_uid


@contextmanager
def folder() -> Iterator[Path]:
    """A folder for the settings, the queue and the data of an instance."""
    with tempfile.TemporaryDirectory(dir=DISK) as made:
        path = Path(made)
        path.chmod(0o755)
        for name in ("etc", "queue", "data"):
            (path / name).mkdir()
        os.chown(path / "data", user(), -1)
        yield path


def command(path: Path, main: str, master: str) -> list[str]:
    """Write the settings with these lines of main.cf and master.cf; the command that starts the instance."""
    etc = str(path / "etc")
    (path / "etc" / "main.cf").write_text(_MAIN_CF.format(d=path) + main)
    (path / "etc" / "master.cf").write_text(_MASTER_CF + master)
    for file in (path / "etc").iterdir():  # it waits until its files are not too new
        os.utime(file, (time.time() - 60,) * 2)
    subprocess.run(["postfix", "-c", etc, "check"], check=True, capture_output=True)
    return ["env", f"MAIL_CONFIG={etc}", str(_MASTER), "-s", "-c", etc]
