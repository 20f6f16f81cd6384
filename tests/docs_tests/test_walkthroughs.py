"""The tutorials and the README's tour are done as they are printed, and what they print is what
comes out.

A reader does what a page says, block by block, in a fresh folder. These fenced blocks are known;
any other one is an error, so that nothing on a page is left untried:

- `console`: a line that begins with `$ ` is a command, the lines below it are its output. If none
  are printed, the command must succeed. Another prompt, such as `server$ `, is another terminal, in
  which a command goes on while the page goes on.
  Of `make`, which installs things, only the calls of `knobeln` are run that it would make.
- a block below a sentence that ends with the name of a file, such as "Save this as `first.c`:", is
  that file.
- `toml` below "Change these lines in `FILE`:": these settings of the file get these values.
- `eml` to the contest is a letter, and is sent. `eml` from the contest is the next mail with this
  subject that comes to its reader.
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
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import unified_diff
from email import message_from_string
from email.message import Message
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.support.knobeln_server import text_of
from tests.support.processes import UNTIL_WE_END
from tests.support.servers import free_port, program, wait_for

ROOT = Path(__file__).parents[2]
HOME = "/home/you"
"""The folder in which a page's reader works, as pages print it."""
ROBOT = "knobeln@contest.example"
"""To whom a page's reader writes, if the page does not make the contest itself."""
PORT = "8025"
COMMAND_SECONDS = 900  # of a busy computer
PATIENCE_SECONDS = 60  # for what the server does while a reader is still reading
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
                yield Block(
                    lines[opened][3:].strip(), lead, tuple(lines[opened + 1 : number]), opened + 1
                )
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
            step = Step(found[1], found[2], ())
        elif step and step.command.endswith("\\"):
            step = replace(step, command=f"{step.command}\n{line}")
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
            "COLUMNS": "80",
            "NO_COLOR": "1",
        }
        self._terminals: dict[str, Terminal] = {}
        self._seen: set[Path] = set()
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
            assert block.file, (
                f"a block of the kind {block.kind!r}, and the line above names no file"
            )
            path = self.folder / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self.output.typed(block.text), encoding="utf-8")

    # --- commands ---------------------------------------------------------------------------------
    def _command(self, step: Step) -> None:
        command = self.output.typed(step.command)
        if step.terminal:
            self._start(step.terminal, command, {})
            wait_for(
                lambda: not self._difference(step, self._terminals[step.terminal].text()),
                step.command,
            )
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
        assert not different, f"{command}\n{different}"

    def _difference(self, step: Step, came_out: str) -> str:
        """Of what a command has said so far, while it runs."""
        return self.output.difference(step.printed_text + "...\n", came_out)

    def _run(self, command: str, folder: Path | None = None) -> tuple[int, str]:
        if command.startswith("make "):
            dry_run = ["make", "--dry-run", *command.split()[1:]]
            made = subprocess.run(
                dry_run, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
            ).stdout
            command = "\n".join(re.findall(r"^\.venv/bin/(knobeln .*)$", made, re.MULTILINE))
            assert command, f"{made} does not call knobeln"
        return self._on_a_terminal(command, folder or self.folder)

    def _on_a_terminal(self, command: str, folder: Path) -> tuple[int, str]:
        """The exit code, and what a terminal of 80 columns without colours shows."""
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
        self._terminals[terminal] = Terminal(
            command, self.folder, log, {**self._environment, **settings}
        )

    # --- letters and mails ------------------------------------------------------------------------
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
        different = self.output.difference(f"{head}\n\n{body}", came)
        assert not different, different

    # --- settings ---------------------------------------------------------------------------------
    @staticmethod
    def _change_settings(path: Path, changes: str) -> None:
        """Give these settings these values, in the lines where `init` has put them."""
        lines = path.read_text(encoding="utf-8").splitlines()
        for section, settings in tomllib.loads(changes).items():
            start = lines.index(f"[{section}]")
            for name in settings:
                (new,) = re.findall(rf"^{name} = .*$", changes, re.MULTILINE)
                place = next(
                    i for i in range(start, len(lines)) if lines[i].startswith(f"{name} = ")
                )
                lines[place] = new
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


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


# --- what is printed ------------------------------------------------------------------------------
_SAME_EACH_TIME_IT_IS_PRINTED = {
    "string": r"\b[a-z0-9]{4}(?:-[a-z0-9]{4}){4}\b",
    "digest": r"\b[0-9a-f]{16,64}\b",
}
_SHAPES = _SAME_EACH_TIME_IT_IS_PRINTED | {
    "mail_date": r"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d? \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}",
    "date": r"\b\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?Z?)?)?",
    "time": r"\b\d\d:\d\d UT\b",  # below its date, in a narrow column
    "receipt": r"(?<![\w/+])[A-Za-z0-9+/]{40,}={0,2}",
    "duration": r"\b\d+(?:\.\d+)? s\b|\b\d+:\d\d:\d\d\b",
    "instructions": r"\b[\d,]+ instructions|instructions +[\d,]+",
    "bytes": r"\b[\d.,]+ (?:bytes|kB|MB)\b",
    "process": r"\bprocess \d+",
    "compiler": r"riscv64-\w+-elf-gcc \([^)]*\)\s+[\d.]+",
}
_VOLATILE = re.compile("|".join(f"(?P<{kind}>{shape})" for kind, shape in _SHAPES.items()))
_ANY_LINES = "..."


class PrintedOutput:
    """What one page prints, and which real value each printed one stands for.

    Lines must be equal, apart from what differs from one time, or one computer, to the next: dates,
    durations, strings, digests, receipts, processes, and numbers that depend on the compiler. These
    are compared by their shape only. Several blanks count as one. A printed `...` stands for any
    text; alone in a line, for any number of lines. A string or digest that the page repeats later
    must be the same one later, and what the page tells its reader to type is typed with the real
    one.
    """

    def __init__(self) -> None:
        self._real: dict[str, str] = {}

    def stands_for(self, printed: str, real: str) -> None:
        self._real[printed] = real

    def typed(self, text: str) -> str:
        """What the page tells its reader to type, with the real values."""
        for printed, real in self._real.items():
            text = text.replace(printed, real)
        return text

    def as_printed(self, text: str) -> str:
        """What came out, with the printed values."""
        for printed, real in self._real.items():
            text = text.replace(real, printed)
        return text

    def difference(self, printed: str, came_out: str) -> str:
        """ "" if they agree, otherwise their difference line by line. Remembers the new real
        values."""
        real = _squeezed(self.as_printed(came_out))
        pattern, kept = self._pattern(_squeezed(printed))
        found = re.fullmatch(pattern, real)
        if not found:
            lines = unified_diff(
                _squeezed(printed).splitlines(),
                real.splitlines(),
                "printed",
                "came out",
                lineterm="",
            )
            return "\n".join(lines) or "they differ"
        for group, value in kept.items():
            self._real.setdefault(value, found[group])
        return ""

    def _pattern(self, printed: str) -> tuple[str, dict[str, str]]:
        """A pattern for the text, and the printed value of each of its groups."""
        groups: dict[str, str] = {}

        def volatile(found: re.Match[str]) -> str:
            kind = found.lastgroup or ""
            if found[0] in self._real:
                return re.escape(found[0])
            if kind not in _SAME_EACH_TIME_IT_IS_PRINTED:
                return f"(?:{_SHAPES[kind]})"
            before = [group for group, value in groups.items() if value == found[0]]
            if before:
                return f"(?P={before[0]})"
            group = f"v{len(groups)}"
            groups[group] = found[0]
            return f"(?P<{group}>{_SHAPES[kind]})"

        lines = []
        for line in printed.splitlines():
            if line.strip() == _ANY_LINES:
                lines.append("(?:.*\n)*?")
                continue
            end, pattern = 0, ""
            for found in _VOLATILE.finditer(line):
                pattern += _escaped(line[end : found.start()]) + volatile(found)
                end = found.end()
            lines.append(f"{pattern}{_escaped(line[end:])}\n")
        return "".join(lines), groups


def _squeezed(text: str) -> str:
    """Without blanks that only align, and blank lines at both ends."""
    lines = [re.sub(r" +", " ", line).rstrip() for line in text.strip("\n").splitlines()]
    return "".join(f"{line}\n" for line in lines)


def _escaped(text: str) -> str:
    return re.escape(text).replace(re.escape(_ANY_LINES), ".*")


# --- the pages ------------------------------------------------------------------------------------
Reader = Callable[[str], Walkthrough]


@pytest.fixture
def reader() -> Iterator[Reader]:
    """Somebody who reads a page of the repository, and works in a new folder.

    Its path is short, as that of a home is: in a narrow terminal a long one is cut.
    """
    readers = []
    with TemporaryDirectory(prefix="you-") as folder:

        def read(page: str) -> Walkthrough:
            readers.append(Walkthrough(ROOT / page, Path(folder)))
            return readers[-1]

        yield read
        for each in readers:
            each.stop()


@pytest.mark.slow
def test_the_first_strategy_is_written_and_sent_as_printed(reader: Reader, tmp_path: Path) -> None:
    student = reader("docs/tutorials/first-strategy.md")
    student.meet_contest(tmp_path / "contest")
    student.walk()


@pytest.mark.slow
def test_the_first_contest_is_held_as_printed(reader: Reader) -> None:
    program("swaks")
    reader("docs/tutorials/first-contest.md").walk()


@pytest.mark.slow
def test_the_tour_of_the_readme_is_true_from_the_first_command_to_the_last(reader: Reader) -> None:
    program("swaks")
    reader("README.md").walk()


# --- a page that is not true is noticed -----------------------------------------------------------
def console(*lines: str) -> str:
    return "\n".join(("```console", *lines, "```", ""))


@pytest.mark.parametrize(
    "text",
    [
        console("$ printf 'one\\ntwo\\n'", "one"),
        console("$ false"),
        console("$ echo k7qd-2mxw-9rtz-h4pc-v8sn", "a7qd-2mxw-9rtz-h4pc-v8sn", "$ echo a", "b"),
        "```text\na file without a name\n```\n",
    ],
)
def test_a_page_that_is_not_true_is_noticed(reader: Reader, tmp_path: Path, text: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    with pytest.raises(AssertionError):
        reader(str(page)).walk()
