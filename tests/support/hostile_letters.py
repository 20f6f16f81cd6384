"""Letters of strangers that are made to cost time: runs of what readers look for, as large as may
be."""

import random
from base64 import encodebytes
from collections.abc import Iterator
from quopri import encodestring

SUBJECTS = (
    "please compile",
    "please test",
    "registration for KNOBELN",
    "objection",
    "organizer tell all",
    "status",
    "mail-preference",
    "what now?",
)
PIECES = (
    "a",
    "a-",
    "aaaa-",
    "k7qd-2mxw-",
    "\u200b",
    "\u00ad",
    "\u2028",
    "=20",
    "=3D",
    "=",
    "\t",
    " ",
    " \t",
    "\r",
    "-- \n",
    "--\n",
    "<",
    "<\n",
    "<<",
    "<<FROM>>",
    "<<FROM>> a b\n",
    "<<from>> a\u00adb ",
    "&lt;",
    "&",
    "&#",
    "<b ",
    '<b a="',
    "</",
    "<!--",
    "<!",
    "<?",
    "-->",
    "<br>\n",
    "<div>",
    "<pre>",
    "</div>",
    "<a:b c='",
    ">",
    "> ",
    "> > ",
    ">From ",
    "/*",
    "*/",
    "//\n",
    "//",
    '"',
    '"\n',
    "'",
    "\\",
    "\\\n",
    "??/",
    "{",
    "}",
    "{\n",
    "(",
    "((",
    "#if\n",
    "#if ",
    "#endif\n",
    "#define a\n",
    "a/a/",
    "a.b<http://a.b>",
    "mail-address:",
    "mail-adress: x\n",
    "team-name: a\u200c",
    "team-members:\n  x, 1, y,\n",
    "mail-preference: LAP,",
    "begin 644 a\nM",
    "-----BEGIN PGP SIGNED MESSAGE-----\n",
    "-----BEGIN PGP SIGNATURE-----\n",
    "- \n",
    "\u2014 a AAAA\n",
    "knobeln ",
    "image: x\n",
    "reason: ",
    "subject: ",
    "\u201c",
    "\u201d",
    "\u2019",
    "\u00e9",
    "0",
    "1 ",
    "_",
    ".",
    ",",
    ";",
    ":",
    "\n",
    " \n",
    "x \n",
    "=?utf-8?q?",
    "=?utf-8?b?",
    "@",
    "a@b ",
    '"a" <a@b>, ',
)
TYPES = (
    "text/plain",
    "text/html",
    "text/plain; format=flowed",
    "text/plain; format=flowed; delsp=yes",
    "text/x-c",
)
LINE_BYTES = 990
REAL_LINES = (
    "<<FROM>> lords k7qd-2mxw-9rtz-h4pc-839w\n",
    "int main (void) {\n",
    "mail-address: a@b.example\n",
)


def hostile_letters(count: int, size: int, seed: str) -> Iterator[tuple[str, bytes]]:
    """So many letters of this size in bytes, each with its sender; the same for the same seed."""
    draws = random.Random(seed)  # noqa: S311 - nothing secret
    for number in range(count):
        sender = f"stranger{number}@flood{number % 97}.example"
        yield sender, _letter(draws, sender, number, size)


def _letter(draws: random.Random, sender: str, number: int, size: int) -> bytes:
    room = size - 2_000
    kind = draws.choice(TYPES)
    encoding = draws.choice(("8bit", "8bit", "quoted-printable", "base64"))
    text = _as_sent(_encoded(_text(draws, room).encode(), encoding))[:room]
    head = (
        f"From: {sender}\nTo: knobeln@contest.example\nSubject: {draws.choice(SUBJECTS)}\n"
        f"Message-ID: <{number}.{draws.random()}@flood.example>\nMIME-Version: 1.0\n"
    )
    part = f"Content-Type: {kind}; charset=utf-8\nContent-Transfer-Encoding: {encoding}\n"
    if draws.random() < 0.3:
        name = draws.choice(("a.c", "a.py", "a.txt", "letter.eml"))
        part += f'Content-Disposition: attachment; filename="{name}"\n'
        head += 'Content-Type: multipart/mixed; boundary="b"\n'
        return f"{head}\n--b\n{part}\n".encode() + text + b"\n--b--\n"
    return f"{head}{part}\n".encode() + text


def _encoded(text: bytes, encoding: str) -> bytes:
    """The text with lines that SMTP takes; decoded, its own lines may be as long as the letter."""
    match encoding:
        case "base64":
            return encodebytes(text)
        case "quoted-printable":
            return encodestring(text)
        case _:
            return b"\n".join(text[at : at + LINE_BYTES] for at in range(0, len(text), LINE_BYTES))


def _as_sent(text: bytes) -> bytes:
    """The text with the line ends of SMTP, which count, and without the dots that SMTP doubles."""
    return text.replace(b"\r", b"").replace(b"\n.", b"\n,").replace(b"\n", b"\r\n")


def _text(draws: random.Random, room: int) -> str:
    """One piece again and again, or a few, one after the other or mixed, with a real line
    between."""
    pieces = draws.sample(PIECES, draws.choice((1, 1, 2, 3)))
    if draws.random() < 0.5:
        unit = "".join(pieces)
        return unit * (room // len(unit))
    if draws.random() < 0.5:
        share = room // len(pieces)
        return "\n".join(piece * (share // len(piece)) for piece in pieces)
    words = [*pieces, draws.choice(REAL_LINES)]
    average = max(1, sum(map(len, words)) // len(words))
    return "".join(draws.choices(words, k=room // average))
