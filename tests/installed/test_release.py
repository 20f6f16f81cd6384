"""What `make release` makes of a commit: the same bytes each time, installed by their hashes."""

import hashlib
import json
import re
import subprocess
import venv
from pathlib import Path

import pytest

from contest import __version__

pytestmark = [pytest.mark.slow, pytest.mark.night]
ROOT = Path(__file__).parents[2]
NAME = f"knobeln-{__version__}"


def test_a_release_is_the_same_each_time_and_installs_with_its_hashes(tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    subprocess.run(["make", "release"], cwd=clone, check=True, stdout=subprocess.DEVNULL)
    made = clone / "dist"
    sums = {
        name: digest
        for digest, name in map(str.split, (made / "SHA256SUMS").read_text().splitlines())
    }
    assert sums == {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in made.iterdir()
        if path.name != "SHA256SUMS"
    }
    wheel = f"{NAME}-py3-none-any.whl"
    files = {wheel, f"{NAME}.tar.gz", f"{NAME}-docs.tar.gz", f"{NAME}.cdx.json", "verify.html"}
    assert sums.keys() == files | {f"{NAME}-requirements.txt"}
    wanted = (made / f"{NAME}-requirements.txt").read_text()
    assert "://" not in wanted
    listed = {
        part["name"].lower()
        for part in json.loads((made / f"{NAME}.cdx.json").read_text())["components"]
    }
    assert {name.lower() for name in re.findall(r"^([\w.-]+)", wanted, re.MULTILINE)} <= listed

    venv.create(tmp_path / "installed", with_pip=True)
    pip = [
        tmp_path / "installed/bin/pip",
        "install",
        "--quiet",
        "--require-hashes",
        "--find-links",
        made,
    ]
    subprocess.run([*pip, "--requirement", made / f"{NAME}-requirements.txt"], check=True)
    knobeln = tmp_path / "installed/bin/knobeln"
    said = subprocess.run(
        [knobeln, "--version"], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert __version__ in said.stdout
