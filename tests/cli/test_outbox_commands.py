"""The organizer's hand on the outbox, and what doctor finds about the way out."""

import json
import re
from pathlib import Path

import pytest

from contest.errors import KnobelnError
from contest.model import Outgoing
from knobeln.context import ContestContext
from knobeln.doctor.mail_checks import check_delivery
from store import outbox
from tests.support.command_line import knobeln_in
from tests.support.relays import Sink, relay

NAMES = ("joe", "jane", "mona")
WHY = ("--reason", "they look odd")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A contest with three mails that wait."""
    path = tmp_path / "contest"
    knobeln_in(path, "init")
    contest = ContestContext.open(path)
    with contest.store.write() as tx:
        for name in NAMES:
            mail = Outgoing(
                f"key/{name}", "GRR", f"{name}@a.example", f"for {name}", f"From {name}\n"
            )
            outbox.put(tx, mail, contest.settings, contest.clock.now())
    contest.store.close()
    return path


def states(folder: Path) -> dict[str, str]:
    rows = json.loads(knobeln_in(folder, "mail", "--json").stdout)
    return {row["to"].partition("@")[0]: row["state"] for row in rows}


def set_mail(folder: Path, **settings: object) -> None:
    """Change settings of [mail] in the contest.toml, as with an editor."""
    file = folder / "contest.toml"
    head, mark, mail = file.read_text().partition("[mail]\n")
    for name, value in settings.items():
        mail, count = re.subn(rf"(?m)^{name} = .*$", f"{name} = {json.dumps(value)}", mail, count=1)
        assert count == 1
    file.write_text(head + mark + mail)


def test_mails_are_held_and_released(folder: Path) -> None:
    assert "1 mail held." in knobeln_in(folder, "mail", "hold", 1, *WHY).output
    assert "1 mail held." in knobeln_in(folder, "mail", "hold", 3, *WHY).output
    assert "\tthey look odd\n" in knobeln_in(folder, "log", "--what", "mails").output
    assert "mails are held" in knobeln_in(folder, "status").output
    assert "1 sent" in knobeln_in(folder, "mail", "flush").output
    assert states(folder) == {"joe": "held", "jane": "sent", "mona": "held"}
    output = knobeln_in(folder, "mail", "release", 1, 2).output
    assert output == ("Not held, so left as they are: 2 (see `knobeln mail`).\n1 mail released.\n")
    assert "1 mail released." in knobeln_in(folder, "mail", "release", "--all").output
    assert "2 sent" in knobeln_in(folder, "mail", "flush").output


def test_mails_are_named_in_one_way(folder: Path) -> None:
    assert (
        "name the mails in one way"
        in knobeln_in(folder, "mail", "hold", 1, "--all", *WHY, code=2).output
    )
    assert "name the mails" in knobeln_in(folder, "mail", "retry", code=2).output
    assert set(states(folder).values()) == {"ready"}


def test_a_mail_that_was_sent_is_not_sent_again(folder: Path) -> None:
    knobeln_in(folder, "mail", "flush")
    output = knobeln_in(folder, "mail", "retry", 1, code=1).output
    assert "Not failed or bounced or ready, so left as they are: 1" in output
    assert "nothing was changed" in output
    assert "0 mails to be sent at once." in knobeln_in(folder, "mail", "retry", "--all").output


def test_what_failed_is_sent_when_the_cause_is_mended(folder: Path) -> None:
    sink = Sink()
    sink.blocks_us = True
    with relay(sink) as port:
        set_mail(folder, delivery="smtp", smarthost=f"127.0.0.1:{port}")
        assert "3 failed" in knobeln_in(folder, "mail", "flush").output
        assert "failed: " in (shown := knobeln_in(folder, "mail", "show", 1).output)
        assert "your host is blocked" in shown
        sink.blocks_us = False
        assert "3 mails to be sent at once." in knobeln_in(folder, "mail", "retry", "--all").output
        assert "3 sent" in knobeln_in(folder, "mail", "flush").output
    assert len(sink.taken) == 3


# --- doctor ---------------------------------------------------------------------------------------
FINDINGS = [
    ({"delivery": "smtp", "smarthost": "127.0.0.1:1"}, "check mail.smarthost"),
    (
        {"delivery": "smtp", "smarthost": "relay.example", "username": "joe"},
        "the login would cross the network in the clear",
    ),
]


@pytest.mark.parametrize(("mail", "advice"), FINDINGS)
def test_doctor_says_how_to_mend_the_way_out(
    folder: Path, mail: dict[str, object], advice: str
) -> None:
    set_mail(folder, **mail)
    with pytest.raises(KnobelnError, match=advice):
        check_delivery(ContestContext.open(folder))
