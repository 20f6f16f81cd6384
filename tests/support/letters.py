"""Letters as mail programs send them."""

from email.message import EmailMessage
from email.policy import SMTP
from typing import Any
from zlib import crc32

ROBOT = "knobeln@contest.example"


def letter(sender: str, subject: str, text: str, to: str = ROBOT, attached: Any = None, **headers: str):
    """`attached`: files by name. `headers`: In_Reply_To is In-Reply-To.

    The same letter has the same Message-ID, where none is given.
    """
    mail = EmailMessage(policy=SMTP)
    mail["From"], mail["To"], mail["Subject"] = sender, to, subject
    number = crc32(f"{sender}\n{subject}\n{text}".encode(errors="replace"))
    for name, value in ({"Message_ID": f"<{number}@client.example>"} | headers).items():
        mail[name.replace("_", "-")] = value
    mail.set_content(text)
    for file, data in (attached or {}).items():
        mail.add_attachment(data, maintype="application", subtype="octet-stream", filename=file)
    return mail.as_bytes()
