"""The invitation in the hands of real mail programs: they quote it, an editor fills it in, and the
reply is a registration."""

import os
import shlex
import stat
import subprocess
from collections.abc import Callable
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path

import pytest

from contest.mail.form import blank, record_text
from mailserver.reading.form_of_letter import read_form
from mailserver.reading.letter import Letter, parse
from tests.support.mail_world import World, make_settings
from tests.support.servers import program

pytestmark = pytest.mark.slow

SETTINGS = make_settings()
SAID = {
    "<a C identifier>": "heavy_lords",
    "<institution, city, country>": "Sacrodata, Eggland",
    "<name>, <age in years>, <occupation>,": "Joe Cool, 45, programmer,",
    "<computer science and programming background>": "20 years of C",
}
FORM = """mail-address: jane@uni.example
mail-preference: LAP,DGP,GRG,RSM
team-name: heavy_lords
Organization: Sacrodata, Eggland
team-members:
  Joe Cool, 45, programmer,
  20 years of C"""


class Desk:
    """A folder with the mail, an editor that fills in, and what stands in for sendmail."""

    def __init__(self, folder: Path, mail: EmailMessage) -> None:
        self.folder = folder
        self.mailbox = folder / "mailbox"
        text = mail.as_bytes().replace(b"\r\n", b"\n")
        self.mailbox.write_bytes(b"From robot Sun Nov 29 08:00:00 2026\n" + text + b"\n")
        edits = "".join(f" -e 's/{asked}/{said}/'" for asked, said in SAID.items())
        self.editor = self._script("editor", f'sed -i{edits} "$1"')
        self.sendmail = self._script("sendmail", f"cat > {folder}/sent")

    def _script(self, name: str, line: str) -> Path:
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{line}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    def run(self, command: list[str], said: str) -> None:
        subprocess.run(
            command,
            input=said.encode(),
            env={**os.environ, "HOME": str(self.folder), "TERM": "vt100", "LC_ALL": "C.UTF-8"},
            cwd=self.folder,
            capture_output=True,
            timeout=30,
            check=False,
        )

    def run_in_terminal(self, command: list[str]) -> None:
        self.run(["script", "-qec", shlex.join(command), "/dev/null"], "")

    @property
    def sent(self) -> Letter:
        return parse((self.folder / "sent").read_bytes())


def with_mutt(desk: Desk) -> None:
    settings = desk.folder / "muttrc"
    settings.write_text(
        f'set editor="{desk.editor} %s" sendmail="{desk.sendmail}" folder={desk.folder}\n'
        'set from="jane@uni.example" realname="Jane" record="" postponed=""\n'
        "set fast_reply=yes include=yes copy=no confirmappend=no quit=yes sleep_time=0\n"
        'push "<reply><send-message><exit>"\n'
    )
    command = [program("mutt"), "-n", "-F", str(settings), "-f", str(desk.mailbox)]
    desk.run_in_terminal(command)


def with_s_nail(desk: Desk) -> None:
    """It quotes the headers, too."""
    options = (f"mta={desk.sendmail}", f"EDITOR={desk.editor}", "from=jane@uni.example")
    command = [program("s-nail"), "-n", "-#", "-~", "-S", "v15-compat", "-S", "indentprefix=> "]
    command += [word for option in options for word in ("-S", option)]
    desk.run([*command, "-f", str(desk.mailbox)], "reply 1\n~m 1\n~e\n~.\nx\n")


@pytest.mark.parametrize("mailer", [with_mutt, with_s_nail])
def test_a_reply_of_a_real_mail_program_registers(
    make_world: Callable[..., World], tmp_path: Path, mailer: Callable[[Desk], None]
) -> None:
    world = make_world()
    form = replace(blank(SETTINGS), address="jane@uni.example", preferences="LAP,DGP,GRG,RSM")
    rendered = world.renderer.render("invitation", form=form.text, is_open=True)
    mail = EmailMessage()
    mail["From"], mail["To"] = "KNOBELN <knobeln@contest.example>", "jane@uni.example"
    mail["Subject"], mail["Message-ID"] = rendered.subject, "<1@contest.example>"
    mail.set_content(rendered.body)
    desk = Desk(tmp_path, mail)
    mailer(desk)
    assert desk.sent.in_reply_to == ("<1@contest.example>",)
    found = read_form(desk.sent, SETTINGS)
    assert found.registration is not None, found.problems
    assert record_text(found.registration) == FORM
