"""What `make setup` and the like install: the groups of pyproject.toml, each once, at the tested
versions."""

import os
import re
import shutil
import subprocess
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path

import interpreters
import pytest

from contest.errors import ToolMissing
from knobeln.doctor import host_checks

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
GROUPS = PROJECT["optional-dependencies"]
FUEL = ".[fuel]"  # comes after the first group
# Stands for every Python: `-m venv` makes an environment whose pip writes down what it was called
# with.
PYTHON = """#!/bin/sh
if [ "$2" = venv ]; then
    rm -rf "$4"
    mkdir -p "$4/bin"
    cp "$0" "$4/bin/python"
    printf '#!/bin/sh\\nfor last; do :; done; echo "$last" >>pip_calls\\n' >"$4/bin/pip"
    chmod +x "$4/bin/pip"
fi
"""


def test_make_has_a_target_for_each_group() -> None:
    found = re.search(r"addprefix setup-,(.*)\)", (ROOT / "Makefile").read_text(encoding="utf-8"))
    assert set(found[1].split()) == set(GROUPS)


@pytest.mark.parametrize("group", ["dependencies", *GROUPS])
def test_every_direct_requirement_has_a_tested_version(group: str) -> None:
    constraints = (ROOT / "constraints.txt").read_text(encoding="utf-8").lower()
    for requirement in PROJECT["dependencies"] if group == "dependencies" else GROUPS[group]:
        name = re.split(r"[\[<>=]", requirement)[0].lower()
        assert name == "knobeln" or f"\n{name}==" in constraints, requirement


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder with all that tools/venv reads, and with stand-ins for Python and pip."""
    for name in ("pyproject.toml", "constraints.txt", "tools/venv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "path").mkdir()
    (tmp_path / "path" / "python3").write_text(PYTHON)
    (tmp_path / "path" / "python3").chmod(0o755)
    return tmp_path


def pip_calls(clone: Path, *groups: str, options: Sequence[str] = ()) -> list[str]:
    """What pip is asked to install when tools/venv is called with these groups, one after the
    other."""
    log = clone / "pip_calls"
    log.write_text("")
    for group in groups:
        subprocess.run(
            ["tools/venv", *options, ".venv", *group.split()],
            cwd=clone,
            env={"PATH": f"{clone / 'path'}:/usr/bin:/bin"},
            check=True,
            capture_output=True,
            timeout=60,
        )
    return log.read_text().split()


def test_each_group_is_installed_once(clone: Path) -> None:
    assert pip_calls(clone, "", "lint", "test", "", "lint", "test") == [
        ".",
        FUEL,
        ".[lint]",
        ".[test]",
    ]


def test_other_requirements_make_the_environment_anew_with_all_its_groups(clone: Path) -> None:
    assert pip_calls(clone, "test", "docs") == [".[test]", FUEL, ".[docs]"]
    (clone / "constraints.txt").write_text("rich==13.7\n")
    assert pip_calls(clone, "lint", "test") == [".[lint]", ".[docs]", ".[test]", FUEL]


def test_what_could_not_be_installed_is_tried_again(clone: Path) -> None:
    assert pip_calls(clone, "") == [".", FUEL]
    pip = clone / ".venv" / "bin" / "pip"
    working = pip.read_text()
    pip.write_text("#!/bin/sh\nexit 1\n")
    with pytest.raises(subprocess.CalledProcessError):
        pip_calls(clone, "lint")
    pip.write_text(working)
    assert pip_calls(clone, "lint") == [".[lint]"]


def test_a_computer_without_wheels_that_count_goes_on(clone: Path) -> None:
    python = clone / "path" / "python3"
    python.write_text(
        python.read_text().replace(">>pip_calls", ">>pip_calls; [ $last != .[fuel] ]")
    )
    # tried again each time
    assert pip_calls(clone, "", "", "test") == [".", FUEL, FUEL, ".[test]", FUEL]


def test_the_demonstration_leaves_the_interpreters_to_those_who_count_time(clone: Path) -> None:
    python = clone / "path" / "python3"
    noting = python.read_text() + '[ "$1" != tools/interpreters.py ] || echo "$1" >>pip_calls\n'
    python.write_text(noting)
    calls = pip_calls(clone, "", "lint", options=["--without-interpreters"])
    assert calls == [".", FUEL, ".[lint]"]
    assert pip_calls(clone, "", "test") == ["tools/interpreters.py", ".[test]"]


def test_the_making_of_an_interpreter_shows_that_it_goes_on(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with interpreters.dots("  Python ", seconds=0.01):
        time.sleep(0.2)
    assert re.fullmatch(r"  Python \.{2,}\n", capsys.readouterr().out)


@pytest.mark.skipif(
    not shutil.which("apt-get"), reason="only Debian and Ubuntu have these packages"
)
def test_doctor_prints_the_line_that_installs_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = tmp_path / "dpkg-query"  # called with the package as its fourth word
    query.write_text(
        '#!/bin/sh\ncase $4 in gcc | bubblewrap) ;; *) echo "install ok installed" ;; esac\n'
    )
    query.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(ToolMissing) as missing:
        host_checks._system_packages()
    _, line = str(missing.value).splitlines()
    assert line.lstrip().startswith("apt-get -qq update; ")
    assert " gcc bubblewrap" in line
    query.write_text('#!/bin/sh\necho "install ok installed"\n')
    assert host_checks._system_packages() == "none is missing"
