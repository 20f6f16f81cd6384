"""Authentication-Results: what our own mail server says about a letter's sender, and nobody
else."""

import pytest

from mailserver.reading.authentication_results import Authenticity, authenticity
from mailserver.reading.mime_parts import split

PASS, FAIL, NONE = Authenticity.PASS, Authenticity.FAIL, Authenticity.NONE
ALICE = "alice@team.test"
OURS = "mx.contest.test"


def found(*fields: str, sender: str | None = ALICE, authserv_id: str = OURS) -> Authenticity:
    """The verdict on a letter with these fields; Authentication-Results come without their name."""
    lines = [
        line if line.startswith("Received:") else f"Authentication-Results: {line}"
        for line in fields
    ]
    raw = "\n".join([*lines, f"From: {ALICE}", "", "text"]).encode()
    return authenticity(split(raw)[0], sender, authserv_id)


@pytest.mark.parametrize(
    ("clauses", "expected"),
    [
        ("dmarc=pass (p=none dis=none) header.from=team.test", PASS),
        ("DMARC=PASS header.from=Team.Test", PASS),
        ("dmarc = pass\n header.from = team.test", PASS),
        ("dmarc/1=pass header.from=team.test", PASS),
        ("dmarc=fail (p=REJECT; sp=none) header.from=team.test", FAIL),
        ("spf=pass smtp.mailfrom=x@team.test; dmarc=fail header.from=team.test", FAIL),
        ("dmarc=none header.from=team.test", NONE),
        ("dmarc=pass header.from=other.test", NONE),
        ("dmarc=bestguesspass header.from=team.test", NONE),
        ("none", NONE),
        # without an answer of DMARC
        ("dkim=pass (2048-bit key; unprotected) header.d=team.test header.i=@team.test", PASS),
        ("dkim=pass header.i=@team.test header.s=k1; spf=fail smtp.mailfrom=list@relay.test", PASS),
        (
            "spf=pass (mx: domain of b@team.test designates 192.0.2.1) smtp.mailfrom=b@team.test",
            PASS,
        ),
        ("spf=pass smtp.mailfrom=bounces.team.test; dmarc=none", PASS),
        ("dkim=pass header.d=other.test; spf=pass smtp.mailfrom=x@other.test", NONE),
        ("dkim=pass header.d=evilteam.test", NONE),
        ("spf=pass smtp.helo=team.test", NONE),
        ("spf=fail smtp.mailfrom=alice@team.test; dkim=none", FAIL),
        ("spf=hardfail smtp.mailfrom=alice@team.test", FAIL),
        ("spf=softfail smtp.mailfrom=alice@team.test", NONE),
        ("spf=fail smtp.mailfrom=alice@team.test; dkim=pass header.d=team.test", PASS),
        # a stranger's words inside of our server's field
        ('spf=pass smtp.mailfrom="x; dmarc=pass header.from=team.test"@evil.test', NONE),
        ("spf=none (x) smtp.mailfrom=a@evil.test (; dmarc=pass header.from=team.test)", NONE),
        ("spf=none (nested (comment; dmarc=pass) \\) ; dmarc=pass header.from=team.test)", NONE),
        ("dmarc=pass header.from=team.test (never closed", NONE),
        ('dmarc=pass header.from=team.test "never closed', NONE),
        ("dmarc=pass header.from=team.test)", NONE),
        ("dmarc=pass header.from=team.test" + " x" * 5_000, NONE),
    ],
)
def test_the_field_of_our_server_decides(clauses: str, expected: Authenticity) -> None:
    assert found(f"{OURS}; {clauses}") is expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (("mx.contest.test 1; dmarc=pass", "Received: x"), PASS),
        (("MX.Contest.Test (our own); dmarc=pass",), PASS),
        (("mx.other.test; dmarc=pass",), NONE),
        (("mx.contest.test.evil; dmarc=pass",), NONE),
        (("mx.other.test; dmarc=pass", "mx.contest.test; dmarc=fail"), FAIL),
        (("Received: inner", "mx.contest.test; dmarc=pass", "Received: x"), PASS),
        # two programs of our server write one field each; what stands below the next Received is a
        # stranger's
        (("mx.contest.test; spf=none", "mx.contest.test; dmarc=pass", "Received: x"), PASS),
        (("mx.contest.test; dmarc=fail", "Received: x", "mx.contest.test; dmarc=pass"), FAIL),
        (("mx.contest.test; spf=none", "Received: x", "mx.contest.test; dmarc=pass"), NONE),
        (("mx.contest.test; dmarc=fail", "mx.contest.test; dmarc=pass"), FAIL),
        ((), NONE),
    ],
)
def test_only_the_topmost_fields_of_our_server_count(
    fields: tuple[str, ...], expected: Authenticity
) -> None:
    assert found(*fields) is expected


def test_without_a_name_of_our_server_or_one_sender_nothing_is_known() -> None:
    assert found("; dmarc=pass", authserv_id="") is NONE
    assert found(f"{OURS}; dmarc=pass", sender=None) is NONE
