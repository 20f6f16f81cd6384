"""The page on which readers check a contest: one file, the same for every contest.

It computes in the reader's browser, and asks no other computer for anything but the archive beside
it. Inside are our modules in `js/`, the contest machine as WebAssembly, and what we use of noble, a
library for hashes and signatures. `tools/check_page.py` makes the latter two; docs/trust.md tells
what the page checks. The script that computes is packed, and so is the arena, in which readers play
against the programs; `node verify.mjs --script` prints both.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from contest.games.game import TextProtocol
from contest.games.registry import built_in, game
from contest.language import LOCALE, speaking, translated, translated_plural
from contest.schema.sections import UNITS_PER_SECOND, Programs
from sandbox.fuel import engine, guests
from trust.archive.findings import FINDINGS

PATH = "verify.html"
ARCHIVE = "archive.tar.gz"
"""The name of the archive that the page looks for beside itself."""

FOLDER = Path(__file__).parent
MADE = {
    "knobeln.wasm": "13a9796a0935399dfad08708af4d2275cc2a7311f44311661a20782f496b46b3",
    "noble.js": "0a301e523f9a0821a95cbbb72989d11552b994f243a02aa975a3dc599d11fd6d",
}
"""The sha256 of the files that `tools/check_page.py` makes."""

COUNTED_GUEST = {
    "module": "b8426ea87e9376215943b2f8ba69d8123321625424777f5f1582ac517f3de2bf",
    "memoryAt": 3407,
}
"""Of the interpreter for JavaScript with its counter: its sha256 with 100 MB of memory, and where
that stands."""

_OF_PAGE = ("js/words.js", "js/what_if_page.js", "js/page.js")
_NAMES = (
    "words",
    "bytes",
    "archive",
    "times",
    "formats",
    "referee",
    "evolution",
    "ledger",
    "machine",
    "mails",
    "asking",
    "another",
    "without",
    "what_if",
    "check",
    "opponents",
    "worker",
)
_OF_WORKER = (
    "../../sandbox/fuel/host.mjs",
    "../../sandbox/fuel/quickjs.mjs",
    *(f"js/{name}.js" for name in _NAMES),
)
_NAMES_OF_ARENA = (
    "words",
    "elements",
    "happened",
    "throws",
    "bidding",
    "ultimate",
    "arena_throws",
    "arena_bids",
    "arena_squares",
    "arena",
)
_OF_ARENA = tuple(f"js/{name}.js" for name in _NAMES_OF_ARENA)
_TEMPLATE = "page.html.j2"
_PARTS = ("what_if.html.j2",)
MAX_SCRIPT_BYTES = 1_000_000
_PACKED = re.compile(
    rb'(?P<head> id="(?:worker|packed-arena)">)(?P<script>[A-Za-z0-9+/=]++)(?=</script>)'
)
_IMPORT = re.compile(r'^import .*?from "[./\w]+\.m?js";\n', re.MULTILINE | re.DOTALL)
_LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)+)"')
_PLURAL = re.compile(rf"\bcount\([^\"]*?{_LITERAL.pattern},\s*{_LITERAL.pattern}")


@cache
def check_page() -> bytes:
    """The page. The same knobeln makes the same bytes."""
    style = f"{_text('../../reports/site/static/style.css')}{_text('page.css')}"
    script = _bundle(_OF_PAGE)
    arena = _arena()
    environment = Environment(  # noqa: S701 - all of it is ours, and scripts must stay as they are
        loader=FileSystemLoader(FOLDER), undefined=StrictUndefined
    )
    page = environment.get_template(_TEMPLATE).render(
        {
            "_": str,
            "style": style,
            "style_digest": _digest(style),
            "script": script,
            "script_digest": _digest(script),
            "worker": _packed(_worker()),
            "arena": _packed(arena),
            "arena_digest": _digest(arena),
            "machine": base64.b64encode((FOLDER / "knobeln.wasm").read_bytes()).decode(),
            "words": _json(_words((_TEMPLATE, *_PARTS, *_OF_WORKER, *_OF_PAGE), _proofs())),
        }
    )
    return page.encode()


def readable(page: bytes) -> bytes:
    """The page with its packed scripts as text: how small they are packed depends on a host's zlib.

    What is none of ours stays as it is.
    """
    return _PACKED.sub(lambda part: part["head"] + _unpacked(part["script"]), page)


def _packed(script: str) -> str:
    return base64.b64encode(zlib.compress(script.encode(), 9)).decode()


def _unpacked(packed: bytes) -> bytes:
    """The script; what is not packed as ours are stays as it is."""
    unpacking = zlib.decompressobj()
    try:
        script = unpacking.decompress(base64.b64decode(packed), MAX_SCRIPT_BYTES)
    except (ValueError, zlib.error):
        return packed
    return script if unpacking.eof and not unpacking.unused_data else packed


def checkers() -> Mapping[str, bytes]:
    """The files of each archive by which everybody can check it: the page, a program that runs its
    script without a browser, and how to use them. The same for all contests."""
    own = {path: (FOLDER / path).read_bytes() for path in ("README.md", "verify.mjs")}
    return {PATH: check_page(), **own}


def constants() -> str:
    """What the page must know of the units that programs are counted in and of the games, and what
    could prove each finding, by its code: as a script that defines them."""
    guest = guests.JAVASCRIPT
    facts = {
        "counter": engine.COUNTER,
        "unitsPerSecond": UNITS_PER_SECOND,
        "gameAnswers": Programs.GAME_ANSWERS,
        "gamesApart": [name for name in built_in() if _plays_games_apart(name)],
        "guests": {"JavaScript": {"facts": guest.facts, "prelude": guest.prelude, **COUNTED_GUEST}},
    }
    proofs = {code: kind.proof for code, kind in FINDINGS.items() if kind.on_page}
    return f"var counting = {_json(facts)};\nvar findings = {_json(proofs)};"


def _plays_games_apart(name: str) -> bool:
    """Whether no program of this game can have learned from a game before."""
    return game(name).info.protocols[:1] != (TextProtocol.STDIO,)


def _worker() -> str:
    """The script that computes."""
    return f'"use strict";\n{_text("noble.js")}\n{constants()}\n{_bundle(_OF_WORKER)}'


def _arena() -> str:
    """The script on which one plays. It brings its own words and style, so that others need not
    have them."""
    own = {"words": _words(_OF_ARENA), "style": _text("arena.css")}
    return f"var ofArena = {_json(own)};\n{_bundle(_OF_ARENA)}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True).replace("<", "\\u003c")


def _bundle(paths: Iterable[str]) -> str:
    """These modules as one block, in which no two may define the same name."""
    joined = "\n".join(_IMPORT.sub("", _text(path)) for path in paths)
    return "{\n" + re.sub(r"^export ", "", joined, flags=re.MULTILINE) + "}\n"


def _proofs() -> list[str]:
    return [kind.proof for kind in FINDINGS.values() if kind.on_page]


def _words(paths: Iterable[str], further: Iterable[str] = ()) -> Mapping[str, Mapping[str, str]]:
    """The sentences of these files, and further ones, in other languages: by language and English
    sentence."""
    sources = "\n".join(map(_text, paths))
    sentences = (*_LITERAL.findall(sources), *further)
    by_language = {}
    for language in sorted(folder.name for folder in LOCALE.iterdir() if folder.is_dir()):
        with speaking(language):
            words = {sentence: translated(sentence) for sentence in sentences}
            for one, many in _PLURAL.findall(sources):
                words |= {
                    one: translated_plural(one, many, 1),
                    many: translated_plural(one, many, 2),
                }
        by_language[language] = {
            sentence: other for sentence, other in words.items() if other != sentence
        }
    return by_language


def _text(path: str) -> str:
    return (FOLDER / path).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """As a Content-Security-Policy names what is inside a page."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
