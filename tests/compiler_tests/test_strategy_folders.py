"""Programs whose folder is the expected verdict: strategies/accepted,
strategies/rejected/<rule>."""

from pathlib import Path

import pytest

from compiler.build import BuildResult, build
from compiler.toolchain import Toolchain
from contest.model import Severity
from contest.schema.sections import Programs

STRATEGIES = Path(__file__).parent.parent / "strategies"
HOST_WORDS = ("root:", "/etc", "/usr", "/work", "/home", "\x1b", "\u202e")


def programs(folder):
    found = sorted((STRATEGIES / folder).rglob("*.c"))
    assert found
    return [pytest.param(path, id=f"{path.parent.name}/{path.stem}") for path in found]


def built(path: Path, toolchain: Toolchain) -> BuildResult:
    raw = path.read_bytes()
    try:
        source = raw.decode()
    except UnicodeDecodeError:
        source = raw.decode("latin-1")
    return build(source, Programs(), toolchain)


@pytest.mark.parametrize("path", programs("accepted"))
def test_programs_within_the_rules_are_accepted(path: Path, toolchain: Toolchain) -> None:
    result = built(path, toolchain)
    assert result.report.accepted, (result.report.findings, result.report.messages)
    assert result.image.digest == result.report.image_digest


@pytest.mark.parametrize("path", programs("rejected"))
def test_programs_against_a_rule_are_rejected_by_that_rule_alone(
    path: Path, toolchain: Toolchain
) -> None:
    result = built(path, toolchain)
    assert {finding.rule for finding in result.report.findings} == {
        path.parent.name.replace("_", " ")
    }
    assert all(finding.severity is Severity.ERROR for finding in result.report.findings)
    assert not result.report.accepted
    assert result.image is None
    assert not any(word in result.report.messages for word in HOST_WORDS)
