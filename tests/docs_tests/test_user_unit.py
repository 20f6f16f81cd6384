"""The unit for a user without root, as docs/providers.md prints it, is one that systemd takes."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "providers.md"


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
@pytest.mark.skipif(not os.access("/tmp", os.W_OK), reason="systemd-analyze writes into /tmp")  # noqa: S108
def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path: Path) -> None:
    found = re.search(r"```ini\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    program = Path(sys.executable).with_name("knobeln")
    unit = tmp_path / "knobeln@.service"
    unit.write_text(found[1].replace("%h/knobeln/.venv/bin/knobeln", str(program)))
    command = ["systemd-analyze", "verify", "--user", "--recursive-errors=no", str(unit)]
    checked = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env={"XDG_RUNTIME_DIR": str(tmp_path), "HOME": str(tmp_path)},
    )
    assert (checked.returncode, checked.stderr) == (0, "")
