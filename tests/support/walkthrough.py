"""Do what a page tells its reader to do, block by block, in a fresh folder, and compare what comes out.

These fenced blocks are known; any other one is an error, so that nothing on a page is left untried:

- `console`: a line that begins with `$ ` is a command, the lines below it are its output. If none are
  printed, the command must succeed. Another prompt, such as `server$ `, is another terminal, in which a
  command goes on while the page goes on.
  Of `make`, which installs things, only the calls of `knobeln` are run that it would make.
- a block below a sentence that ends with the name of a file, such as "Save this as `first.c`:", is that file.
- `toml` below "Change these lines in `FILE`:": these settings of the file get these values.
- `eml` to the contest is a letter, and is sent. `eml` from the contest is the next mail with this subject
  that comes to its reader.

With KNOBELN_GOLDEN=write in the environment, the page gets the output that came out where it differs.
"""

import os
import pty
import re
import select
import signal
import smtplib
import subprocess
import sys
import time
import tomllib
import tty
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from email import message_from_string
from email.message import Message
from itertools import count
from pathlib import Path

from tests.support.knobeln_server import text_of
from tests.support.printed_output import PrintedOutput
from tests.support.processes import UNTIL_WE_END
from tests.support.servers import free_port, wait_for

ROOT = Path(__file__).parents[2]
HOME = "/home/you"
"""The folder in which a page's reader works, as pages print it."""
ROBOT = "knobeln@contest.example"
"""To whom a page's reader writes, if the page does not make the contest itself."""
PORT = "8025"
COMMAND_SECONDS = 900  # of a busy computer
WRITES = os.environ.get("KNOBELN_GOLDEN") == "write"
PATIENCE_SECONDS = 4 if WRITES else 60  # for what the server does while a reader is still reading
# A reader who sees too early that nothing has come yet looks again.
_LOOKS = re.compile(r"knobeln (?:status|teams|letters|programs|mail|log)\b")
# Of tests that run as root. A reader does not.
_ROOT_WARNING = re.compile(r"^.* Running as root\. Better: .*\n\n?", re.MULTILINE)
_PROMPT = re.compile(r"([a-z]*)\$ (.*)")


@dataclass(frozen=True)
class Block:
    kind: str
    """The word behind the fence."""
    lead: str
    """The last line of text above the fence."""
    lines: tuple[str, ...]
    first: int
    """The index of the first of these lines in the page."""

    @property
    def text(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)

    @property
    def file(self) -> str:
        """Which file the sentence above names; "" if it names none."""
        found = re.search(r"`([\w./-]+)`[^`]*:$", self.lead)
        return found[1] if found else ""


@dataclass(frozen=True)
class Step:
    """One command of a console, and what the page prints below it."""

    terminal: str
    command: str
    printed: tuple[str, ...]
    first: int
    """The index in the page of the first printed line, or of where it would be."""

    @property
    def printed_text(self) -> str:
        return "".join(f"{line}\n" for line in self.printed)


def blocks(page: str) -> Iterator[Block]:
    """The fenced blocks of a page of Markdown."""
    lead, opened, lines = "", -1, page.splitlines()
    for number, line in enumerate(lines):
        if line.startswith("```"):
            if opened < 0:
                opened = number
            else:
                yield Block(lines[opened][3:].strip(), lead, tuple(lines[opened + 1 : number]), opened + 1)
                opened = -1
        elif opened < 0 and line.strip():
            lead = line.strip()


def steps(block: Block) -> Iterator[Step]:
    step: Step | None = None
    for number, line in enumerate(block.lines):
        found = _PROMPT.fullmatch(line)
        if found:
            if step:
                yield step
            step = Step(found[1], found[2], (), block.first + number + 1)
        elif step and step.command.endswith("\\"):
            step = replace(step, command=f"{step.command}\n{line}", first=step.first + 1)
        else:
            assert step, f"line {block.first + number + 1}: output without a command"
            step = replace(step, printed=(*step.printed, line))
    if step:
        yield step


class Walkthrough:
    """A reader of one page, with an empty folder to work in.

    A failure names the line of the page. `stop` ends what still runs.
    """

    def __init__(self, page: Path, folder: Path) -> None:
        self.page, self.folder = page, folder
        self.output = PrintedOutput()
        self._environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "COLUMNS": "200",
            "NO_COLOR": "1",
        }
        self._terminals: dict[str, Terminal] = {}
        self._seen: set[Path] = set()
        self._changes: list[tuple[Step | Block, str]] = []
        self.output.stands_for(HOME, str(folder))
        port = str(free_port())
        self._environment["KNOBELN_SET_MAIL__LISTEN"] = f"127.0.0.1:{port}"
        self.output.stands_for(PORT, port)
        self._port = int(port)
        self._contest: Path | None = None

    def meet_contest(self, folder: Path) -> None:
        """A contest of somebody else, with the usual settings, to which the page's letters go."""
        settings = {"KNOBELN_SET_CONTEST__ADDRESS": ROBOT}
        self._run(f"knobeln init {folder}", folder.parent)
        self._contest = folder
        self._start("", f"knobeln serve -C {folder}", settings)
        wait_for(lambda: "listening" in self._terminals[""].text())

    def walk(self) -> None:
        for block in blocks(self.page.read_text(encoding="utf-8")):
            try:
                self._do(block)
            except AssertionError as error:
                raise AssertionError(f"{self.page.name}, line {block.first}: {error}") from error
        self._write()

    def stop(self) -> None:
        """Ctrl-C in each terminal; a server that does not end by that is a failure."""
        for terminal in self._terminals.values():
            terminal.interrupt()

    def _do(self, block: Block) -> None:
        if block.kind == "console":
            for step in steps(block):
                self._command(step)
        elif block.kind == "eml":
            letter = message_from_string(self.output.typed(block.text))
            if ROBOT in str(letter["To"]):
                self._send(letter)
            else:
                self._expect_mail(block)
        elif "Change these lines in" in block.lead:
            self._change_settings(self.folder / block.file, self.output.typed(block.text))
        else:
            assert block.file, f"a block of the kind {block.kind!r}, and the line above names no file"
            path = self.folder / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self.output.typed(block.text), encoding="utf-8")

    # --- commands -----------------------------------------------------------------------------------------
    def _command(self, step: Step) -> None:
        command = self.output.typed(step.command)
        if step.terminal:
            self._start(step.terminal, command, {})
            wait_for(lambda: not self._difference(step, self._terminals[step.terminal].text()), step.command)
            return
        code, came_out = self._run(command)
        if not step.printed:
            assert code == 0, f"{command} ends with {code}: {came_out}"
            return
        end = time.monotonic() + PATIENCE_SECONDS
        while (
            (different := self.output.difference(step.printed_text, came_out))
            and self._terminals
            and _LOOKS.search(command)
            and time.monotonic() < end
        ):
            time.sleep(0.5)
            code, came_out = self._run(command)
        self._note(step, came_out, f"{command}\n{different}" if different else "")

    def _difference(self, step: Step, came_out: str) -> str:
        """Of what a command has said so far, while it runs."""
        return self.output.difference(step.printed_text + "...\n", came_out)

    def _run(self, command: str, folder: Path | None = None) -> tuple[int, str]:
        if command.startswith("make "):
            dry_run = ["make", "--dry-run", *command.split()[1:]]
            made = subprocess.run(dry_run, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
            command = "\n".join(re.findall(r"^\.venv/bin/(knobeln .*)$", made, re.MULTILINE))
            assert command, f"{made} does not call knobeln"
        return self._on_a_terminal(command, folder or self.folder)

    def _on_a_terminal(self, command: str, folder: Path) -> tuple[int, str]:
        """The exit code, and what a wide terminal without colours shows."""
        ours, theirs = pty.openpty()
        tty.setraw(theirs)
        with (
            open(ours, "rb", buffering=0) as screen,
            subprocess.Popen(
                ["bash", "-c", command],
                cwd=folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=theirs,
                stderr=theirs,
            ) as process,
        ):
            os.close(theirs)
            shown, end = b"", time.monotonic() + COMMAND_SECONDS
            with suppress(OSError):  # EIO: nobody writes any more
                while time.monotonic() < end:
                    if select.select([screen], [], [], 1)[0]:
                        shown += screen.read(65_536)
            process.kill()
        return process.returncode, _ROOT_WARNING.sub("", re.sub(rb"\s+\n\Z", b"\n", shown).decode())

    def _start(self, terminal: str, command: str, settings: dict[str, str]) -> None:
        assert terminal not in self._terminals, f"{terminal} is busy"
        log = self.folder.parent / f"terminal-{terminal}"
        self._terminals[terminal] = Terminal(command, self.folder, log, {**self._environment, **settings})

    # --- letters and mails --------------------------------------------------------------------------------
    def _send(self, letter: Message) -> None:
        letter["Message-ID"] = f"<{next(_letters)}@home.example>"
        with smtplib.SMTP("127.0.0.1", self._port, timeout=30) as client:
            client.send_message(letter)

    def _expect_mail(self, block: Block) -> None:
        assert self._contest, "the page meets no contest"
        box = self._contest / "mail" / str(message_from_string(block.text)["To"]) / "new"
        head, _, body = block.text.partition("\n\n")
        subject = str(message_from_string(block.text)["Subject"])

        def arrived() -> Iterator[tuple[Path, Message]]:
            for path in sorted(box.glob("*")):
                mail = message_from_string(path.read_text(encoding="utf-8"))
                if path not in self._seen and mail["Subject"] == subject:
                    yield path, mail

        wait_for(lambda: any(arrived()), f"the mail {subject!r}")
        path, mail = next(arrived())
        self._seen.add(path)
        names = [line.partition(":")[0] for line in head.splitlines()]
        came = "".join(f"{name}: {mail[name]}\n" for name in names) + f"\n{text_of(mail)}"
        self._note(block, came, self.output.difference(f"{head}\n\n{body}", came))

    # --- settings -----------------------------------------------------------------------------------------
    @staticmethod
    def _change_settings(path: Path, changes: str) -> None:
        """Give these settings these values, in the lines where `init` has put them."""
        lines = path.read_text(encoding="utf-8").splitlines()
        for section, settings in tomllib.loads(changes).items():
            start = lines.index(f"[{section}]")
            for name in settings:
                (new,) = re.findall(rf"^{name} = .*$", changes, re.MULTILINE)
                place = next(i for i in range(start, len(lines)) if lines[i].startswith(f"{name} = "))
                lines[place] = new
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")

    # --- what came out ------------------------------------------------------------------------------------
    def _note(self, place: Step | Block, came_out: str, different: str) -> None:
        if not different:
            return
        if not WRITES:
            raise AssertionError(different)
        self._changes.append((place, self.output.as_printed(came_out).strip("\n")))

    def _write(self) -> None:
        lines = self.page.read_text(encoding="utf-8").splitlines()
        for place, text in reversed(self._changes):
            old = place.printed if isinstance(place, Step) else place.lines
            lines[place.first : place.first + len(old)] = [line.rstrip() for line in text.splitlines()]
        if self._changes:
            self.page.write_text("\n".join(lines) + "\n", encoding="utf-8")


class Terminal:
    """A window in which one command goes on."""

    def __init__(self, command: str, folder: Path, log: Path, environment: dict[str, str]) -> None:
        self.log = log
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                [*UNTIL_WE_END, "bash", "-c", f"exec {command}"],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def text(self) -> str:
        assert self.process.poll() is None, f"it ended: {self.log.read_text()}"
        return self.log.read_text()

    def interrupt(self) -> None:
        """Ctrl-C."""
        self.process.send_signal(signal.SIGINT)
        try:
            code = self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        assert code == 0, f"{code}: {self.log.read_text()}"


_letters = count(1)
