"""Forms and replies of strangers, and what they make of a contest."""

from email.message import EmailMessage

from contest.model import IncomingLetter
from mailserver.reading import addresses
from store import teams
from tests.support.mail_world import FORM, World


def form(address: str, name: str = "the_heavy_lords_of_knobeln") -> str:
    return FORM.replace("our_team@machine.domain.alfdkj", address).replace(
        "the_heavy_lords_of_knobeln", name
    )


def reply(
    world: World, question: EmailMessage, subject: str = "", **headers: str
) -> list[EmailMessage]:
    """What somebody gets who presses Reply and Send, with this subject instead of the usual one."""
    facts = {"sender": "private@elsewhere.example", "In_Reply_To": str(question["Message-ID"])}
    return world.send(subject or f"Re: {question['Subject']}", "", **(facts | headers))


def team_names(world: World) -> list[str]:
    with world.store.read() as tx:
        return [team.name for team in teams.all_teams(tx)]


def incoming(mail: EmailMessage) -> IncomingLetter:
    """The letter with its envelope; a report comes from nobody, as bounces do."""
    is_report = mail.get_content_type() == "multipart/report"
    sender = "" if is_report else addresses.mailbox(str(mail["From"])) or ""
    return IncomingLetter(mail.as_bytes(), sender, ("knobeln@contest.example",))
