"""The catalogues have all sentences of mails and pages, and all translations can stand in for the
English."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import catalogue
import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po
from jinja2 import Environment

from contest.games.registry import registered
from contest.language import LOCALE, SOURCE, available, catalogue_path, speaking
from reports.site.templates import words_of_scripts
from reports.text import WIDTH

ROOT = Path(__file__).parents[2]
LANGUAGES = sorted(folder.name for folder in LOCALE.iterdir())
TEMPLATES = [
    path
    for path in sorted((ROOT / "reports" / "templates").rglob("*.j2"))
    if path.name != "_point_word.txt.j2"  # a key of reports.words.POINTS
]

# Pages; those of `play --html` and `results all-time` are English, like the command line.
_ENGLISH_PAGES = {"replay_alone", "all_time"}
_SITE = ROOT / "reports" / "site"
PAGES = [
    path
    for path in sorted((_SITE / "templates").glob("*.j2"))
    if path.name.partition(".")[0] not in _ENGLISH_PAGES and path.name != "colours.css.j2"
]

_PLACEHOLDER = re.compile(r"%\((\w+)\)s")
# A language may have a sentence that does without the game's word for a turn: its gender is not
# known.
_MAY_BE_LEFT_OUT = {"turn_word"}
_WORDS = re.compile(r"[A-Za-z]{2,}[ ,]+[A-Za-z]{2,}")


def read(language: str) -> Catalog:
    with catalogue_path(language).open("rb") as file:
        return read_po(file, locale=language)


def sentences(language: str) -> list[Message]:
    """Those that have a translation; `make lint` fails for the others."""
    return [each for each in read(language) if each.id and catalogue.is_translated(each)]


def english(sentence: Message) -> str:
    return sentence.id if isinstance(sentence.id, str) else sentence.id[1]


def test_what_a_catalogue_lacks_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "de" / "LC_MESSAGES" / "knobeln.po"
    path.parent.mkdir(parents=True)
    monkeypatch.setattr(catalogue, "ROOT", tmp_path)
    monkeypatch.setattr(catalogue, "catalogue_path", lambda _: path)
    sentences = Catalog()
    sentences.add("The first sentence of all.")
    sentences.add(("%(num)s program", "%(num)s programs"))
    monkeypatch.setattr(catalogue, "collected", lambda: sentences)
    translated = '\nmsgid "The first sentence."\nmsgstr "Der erste Satz."\n'
    path.write_text(f'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n{translated}')
    call, count, first, second = catalogue.lacking("de")
    assert call == "call `make catalogue`"
    assert count == "translate 2 sentences, empty or `fuzzy` in de/LC_MESSAGES/knobeln.po:"
    assert "The first sentence of all." in first  # whose translation is guessed
    assert "%(num)s programs" in second


# "du" in all its forms and as imperatives, and a capital "Sie" or "Ihr" within a sentence.
_NOT_IHR = re.compile(
    r"\b(?i:du|dich|dir|dein\w*)\b"
    r"|\b(?i:schreib|schick|antworte|ändere|speichere|sende|häng|heb|sieh|nimm|lies|gib)\b"
    r"|(?<=[a-zäöüß,] )(?:Sie|Ihnen|Ihr|Ihre[mnrs])\b"
)


def test_in_german_everybody_is_addressed_as_ihr() -> None:
    texts = [text for each in sentences("de") for text in catalogue.forms_of(each)]
    assert [text for text in texts if _NOT_IHR.search(text)] == []


@pytest.mark.parametrize(
    "text",
    [
        "Du brauchst kein Konto.",
        "der Name deines Teams",
        "Schreib dies:",
        "Schickt es ab, oder schreib noch einmal",
        "Wenn ja, antworte einfach.",
        "Löschen Sie das.",
        "ein Filter Ihres Mailservers",
    ],
)
def test_what_addresses_somebody_in_another_way_is_seen(text: str) -> None:
    assert _NOT_IHR.search(text)


def test_a_contest_can_have_english_and_german() -> None:
    assert {SOURCE, "de"} <= set(available())


@pytest.mark.parametrize("language", LANGUAGES)
def test_translations_have_the_placeholders_of_the_english(language: str) -> None:
    for sentence in sentences(language):
        expected = set(_PLACEHOLDER.findall(english(sentence))) - _MAY_BE_LEFT_OUT
        counts = sentence.pluralizable
        for form in catalogue.forms_of(sentence):
            found = set(_PLACEHOLDER.findall(form)) - _MAY_BE_LEFT_OUT
            assert found == expected or (counts and found | {"num"} == expected | {"num"}), form
            form % dict.fromkeys(_PLACEHOLDER.findall(form), "")  # nothing else is a percent sign


@pytest.mark.parametrize("language", LANGUAGES)
def test_translations_begin_and_end_as_the_english(language: str) -> None:
    for sentence in sentences(language):
        for form in catalogue.forms_of(sentence):
            assert form.startswith(" ") == english(sentence).startswith(" "), form
            assert form.endswith("\n") == english(sentence).endswith("\n"), form
            if english(sentence).endswith("  "):  # the name of a fact, with blanks up to its value
                assert len(form) == len(english(sentence)), form


@pytest.mark.parametrize("language", LANGUAGES)
def test_lines_that_are_set_by_hand_are_not_too_long(language: str) -> None:
    """Long lines are filled; but one with several blanks in a row is a row of a table."""
    for sentence in sentences(language):
        lines = [line for form in catalogue.forms_of(sentence) for line in form.split("\n")]
        rows = [_PLACEHOLDER.sub("", line) for line in lines if re.search(r"\S {2,}\S", line)]
        assert all(len(line) <= WIDTH for line in rows), rows


# --- nothing is outside of the catalogue ----------------------------------------------------------
_TAG = re.compile(r"\{\{.*?\}\}|\{#.*?#\}|\{%.*?%\}", re.DOTALL)
_TRANSLATED = re.compile(
    r"\{% trans .*?\{% endtrans %\}|\{% trans %\}.*?\{% endtrans %\}", re.DOTALL
)
# What people type, and what programs read, is the same in all languages.
_PROTOCOL = re.compile(
    r"^ *(?:To: |Subject: |<<FROM>> |-- |#|/\*|\*/|int \w+ \(|\./|gcc |sh |tar |cd |knobeln"
    r" |mail-preference )"
    r"|^  (?:please|send|SEND|allow|refuse|change|resend|registration|mail-preference|help|status"
    r"|unsubscribe|why|withdraw|objection) ?[a-zA-Z _]*$"
)


def outside(source: str) -> Iterator[str]:
    """The lines of a template with words of ours that no catalogue has."""
    for line in _TAG.sub(" ", _TRANSLATED.sub("", source)).split("\n"):
        if _WORDS.search(line) and not _PROTOCOL.search(line):
            yield line
    for tag in re.findall(r"\{\{.*?\}\}|\{% set .*?%\}", source, re.DOTALL):
        yield from (text for text in _unmarked(tag) if _WORDS.search(text))


def _unmarked(tag: str) -> Iterator[str]:
    """The texts in an expression that are shown, but are no argument of `_` or `ngettext`."""
    tokens = list(Environment().lex(tag))  # noqa: S701
    depth, marked_at, previous, shown = 0, [], "", []
    comparing = False
    for _, kind, value in tokens:
        if kind == "whitespace":
            continue
        if value == "(":
            depth += 1
            if previous in ("_", "ngettext"):
                marked_at.append(depth)
        elif value == ")":
            if marked_at and marked_at[-1] == depth:
                marked_at.pop()
            depth -= 1
        elif value == ":" and shown:
            shown.pop()  # the text before was a key
        elif kind == "string" and not marked_at and not comparing:
            shown.append(value)
        comparing = value in ("==", "!=") or (
            comparing and (kind == "string" or value in (",", "("))
        )
        previous = value
    yield from shown


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_a_template_has_no_sentence_outside_of_the_catalogue(template: Path) -> None:
    assert list(outside(template.read_text(encoding="utf-8"))) == []


def test_sentences_outside_of_the_catalogue_are_found() -> None:
    assert list(outside("{% if x %}\nThe contest is over.\n{% endif %}\n")) == [
        "The contest is over."
    ]
    assert list(outside('{{ "The contest is over."|wrap }}\n')) == ['"The contest is over."']
    assert not list(outside('{{ _("The contest is over.")|wrap }}\n    Subject: please compile\n'))


# What pages show of a tag: what it says to those who do not see it.
_SHOWN = re.compile(r"""(?:aria-label|title|alt)="([^"]*)\"""")
_HTML_TAG = re.compile(r"<[^>]*>")
_ADDRESS = re.compile(r"\S*/\S*")
_STYLE = '"titled'  # a class of tables comes first
_SAME_IN_ALL_LANGUAGES = {"CSV", "JSON"}
_LETTER_HEADER = re.compile(r"^Subject: ", re.MULTILINE)  # of a sample letter


def outside_of_page(source: str) -> Iterator[str]:
    """The words of a page's template that no catalogue has; in an expression, texts of several
    words."""
    plain = _TAG.sub("", _TRANSLATED.sub("", source))
    text = _HTML_TAG.sub(lambda tag: " ".join(("", *_SHOWN.findall(tag.group()), "")), plain)
    text = _LETTER_HEADER.sub("", _ADDRESS.sub("", text))
    yield from (
        word for word in re.findall(r"[A-Za-z]{3,}", text) if word not in _SAME_IN_ALL_LANGUAGES
    )
    for tag in re.findall(r"\{\{.*?\}\}|\{% set .*?%\}", source, re.DOTALL):
        yield from (
            text for text in _unmarked(tag) if _WORDS.search(text) and not text.startswith(_STYLE)
        )


@pytest.mark.parametrize("template", PAGES, ids=lambda path: path.name)
def test_a_page_has_no_word_outside_of_the_catalogue(template: Path) -> None:
    assert list(outside_of_page(template.read_text(encoding="utf-8"))) == []


def test_words_of_pages_outside_of_the_catalogue_are_found() -> None:
    assert list(outside_of_page('<h2>Ranking</h2><a title="{{ x }} more">{{ y }}</a>')) == [
        "Ranking",
        "more",
    ]
    assert list(outside_of_page('{{ "of the" if x else "a" }}')) == ['"of the"']
    assert not list(
        outside_of_page("""<b class="note">{{ _('%(x)s: the <i>end</i>', x=1) }}</b>""")
    )


@pytest.mark.parametrize(
    ("script", "template", "word"),
    [
        ("page.js", "index", "Copied."),
        ("tables.js", "index", "Find"),
        ("cross.js", "group", "lost"),
        ("evolution.js", "evolution", "at the end"),
        ("replay.js", "replay", "{number} points"),
    ],
)
def test_a_page_has_all_sentences_of_its_script(script: str, template: str, word: str) -> None:
    with speaking("de"):
        known = json.loads(words_of_scripts(template))
    # What games call a turn is a variable in the calls of `say`.
    found = set(
        re.findall(r'\bsay\("([^"]*)"', (_SITE / "static" / script).read_text(encoding="utf-8"))
    )
    assert word in found
    assert found <= known.keys() & set(map(english, sentences("de")))
    for sentence in found:
        assert known[sentence]
        assert set(re.findall(r"\{(\w+)\}", known[sentence])) <= set(
            re.findall(r"\{(\w+)\}", sentence)
        )


def test_what_happens_in_each_game_is_in_the_catalogue() -> None:
    known = {english(each) for each in read("de") if each.id}
    assert {each.info.summary for each in registered().values()} <= known


# Modules that make sentences of mails and pages. In them a text with several words is marked, or an
# error, or one of these: a note for the journal, which the organizer reads in English, and what
# people type.
_MODULES = [
    *(
        path
        for path in sorted((ROOT / "mailserver" / "reading").glob("*.py"))
        if path.name != "html.py"
    ),
    *(ROOT / "compiler" / name for name in ("checks.py", "toolchain.py", "uploaded_files.py")),
    ROOT / "reports" / "certainty.py",
    ROOT / "reports" / "results.py",
    ROOT / "reports" / "highlights.py",
    *sorted((ROOT / "reports" / "replay").glob("*.py")),
    *sorted(_SITE.glob("*.py")),
    *(
        path
        for path in sorted((ROOT / "contest" / "games").glob("*.py"))
        if path.name not in ("game.py", "built_in.py", "knobeln.py")  # they describe settings, too
    ),
    *(
        path
        for path in sorted((ROOT / "sandbox" / "players").glob("*.py"))
        if path.name != "driver.py"
    ),
    ROOT / "sandbox" / "process.py",
    ROOT / "sandbox" / "vm" / "faults.py",
]
_TITLES = {game.info.title for game in registered().values()}
_JOURNAL = {
    "an automatic answer (Auto-Submitted)",
    "a mass mail (Precedence)",
    "an automatic answer (X-Autoreply)",
    "no answer is wanted (X-Auto-Response-Suppress)",
    "a delivery report",
    "a bounce (Return-Path <>)",
    "from a robot's address",
}
_SHELL = {'nm -gj --defined-only "$(', 'd "$(wc -c < '}
_MARKS = {"gettext", "ngettext", "noted", "noted_plural"}
_NO_SENTENCES = {"compile", "frozenset", "split", "raise"}


def unmarked_sentences(module: Path) -> Iterator[str]:
    tree = ast.parse(module.read_text(encoding="utf-8"))
    seen = set()
    for node in ast.walk(tree):
        is_doc = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        name = (
            getattr(node.func, "id", getattr(node.func, "attr", ""))
            if isinstance(node, ast.Call)
            else ""
        )
        if is_doc or isinstance(node, ast.Raise | ast.Assert) or name in _MARKS | _NO_SENTENCES:
            seen |= {id(inner) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        value = node.value if isinstance(node, ast.Constant) and id(node) not in seen else ""
        # A sentence begins with a word and has no line breaks; tables of words have.
        if (
            isinstance(value, str)
            and re.match(r"[A-Za-z`%][^\n]*$", value)
            and len(value.split()) > 3
        ):
            yield value


@pytest.mark.parametrize("module", _MODULES, ids=lambda path: path.name)
def test_a_module_has_no_sentence_outside_of_the_catalogue(module: Path) -> None:
    assert set(unmarked_sentences(module)) <= _JOURNAL | _TITLES | _SHELL
