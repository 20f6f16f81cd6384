"""Letters as mail programs send them."""

from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from email.policy import default as modern
from pathlib import Path
from typing import Any
from zlib import crc32

ROBOT = "knobeln@contest.example"


def letter(
    sender: str, subject: str, text: str, to: str = ROBOT, attached: Any = None, **headers: str
):
    """`attached`: files by name. `headers`: In_Reply_To is In-Reply-To.

    The same letter has the same Message-ID, where none is given.
    """
    mail = EmailMessage(policy=SMTP)
    mail["From"], mail["To"], mail["Subject"] = sender, to, subject
    number = crc32(repr((sender, subject, text, attached)).encode())
    for name, value in ({"Message_ID": f"<{number}@client.example>"} | headers).items():
        mail[name.replace("_", "-")] = value
    mail.set_content(text)
    for file, data in (attached or {}).items():
        mail.add_attachment(data, maintype="application", subtype="octet-stream", filename=file)
    return mail.as_bytes()


def words_to(contest: Path, address: str) -> str:
    """The subjects and texts of all mails in the Maildir of this address, with their
    attachments."""
    files = (contest / "mail" / address / "new").iterdir()
    mails = [message_from_bytes(file.read_bytes(), policy=modern) for file in files]
    parts = [
        part for mail in mails for part in mail.walk() if part.get_content_maintype() == "text"
    ]
    return "\n".join(
        [*(str(mail["Subject"]) for mail in mails), *(str(part.get_content()) for part in parts)]
    )
