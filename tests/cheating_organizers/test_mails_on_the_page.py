"""Mails that readers drop on the check page: they fit an honest archive, and no other."""

from email.message import EmailMessage
from pathlib import Path

from tests.support.check_page import page_on
from tests.support.mailed_contest import CHAIN, DARK, HEAVY, LIGHT, LOST, Stages
from tests.support.organizers import Forgery


def mails_of(stages: Stages, team: str) -> list[str]:
    box = stages.kept["played"].box(team) / "new"
    return [file.read_text(errors="replace") for file in sorted(box.iterdir())]


def told(archive: Path, mails: list[str]) -> list[list[bool]]:
    """For each mail, whether each of the sentences about it says that it fits."""
    said = page_on(archive, mails, chain=CHAIN)
    assert said.title
    return [[sentence["fits"] for sentence in each] for each in said.mails]


def test_all_mails_of_a_team_fit_an_honest_archive(honest: Stages) -> None:
    for team in (HEAVY, LOST):
        mails = mails_of(honest, team)
        fits = told(honest.archive, mails)
        for mail, found in zip(mails, fits, strict=True):
            assert all(found), mail
            assert ("X-Knobeln-Receipt" in mail) <= bool(found), mail
        assert sum(map(bool, fits)) >= 3


def test_a_forwarded_mail_is_read_inline_and_attached(honest: Stages) -> None:
    mail = next(each for each in mails_of(honest, HEAVY) if "X-Knobeln-Receipt" in each)
    inline = "Look!\n\n" + "".join(f"> {line}\n" for line in mail.splitlines())
    attached = EmailMessage()
    attached["Subject"] = "Fwd: your answer"
    attached.set_content("It is attached.")
    attached.add_attachment(
        mail.encode(), maintype="application", subtype="octet-stream", filename="mail.eml"
    )
    for each in told(honest.archive, [inline, attached.as_string()]):
        assert each
        assert all(each)


def test_a_ledger_that_was_changed_does_not_fit_the_mails(
    forgery: Forgery, honest: Stages, tmp_path: Path
) -> None:
    place = forgery.place_of("registration accepted", LIGHT)
    forgery.ledger[place], forgery.ledger[place + 1] = (
        forgery.ledger[place + 1],
        forgery.ledger[place],
    )
    changed = forgery.publish(tmp_path / "archive")
    of_heavy, of_dark = mails_of(honest, HEAVY), mails_of(honest, DARK)
    assert not all(all(found) for found in told(changed, of_heavy))
    said = page_on(changed, of_dark, chain=CHAIN)
    sentences = " ".join(sentence["sentence"] for each in said.mails for sentence in each)
    assert "it is another one than when this mail was written" in sentences
