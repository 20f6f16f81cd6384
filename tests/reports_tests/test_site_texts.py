"""Rules, mail commands and the announcement as pages: what strangers wrote, and what readers are
told."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from html import unescape
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.config.settings import Settings
from contest.games.registry import game_plugins, rules_text
from contest.language import SOURCE, available
from contest.model import Phase
from knobeln import presets
from mailserver.commands import recognise
from mailserver.team_secret import FromLine, find_from_line
from reports.render import Templates
from reports.site.facts import SampleLetter, SiteFacts
from reports.site.mail_text import BlockKind, blocks, spans
from reports.site.markdown import render
from tests.support.site_files import facts_of, files_of, texts_of

SOME_DAY = datetime(2026, 3, 1, 12, tzinfo=UTC)
GAMES = sorted(game_plugins())


def settings_of(game: str, language: str = SOURCE) -> Settings:
    found = presets.settings(game, SOME_DAY)
    return found.model_copy(
        update={"contest": found.contest.model_copy(update={"language": language})}
    )


def before(game: str, language: str = SOURCE) -> SiteFacts:
    """A contest before its start."""
    return replace(facts_of(settings_of(game, language), {}, ()), phase=Phase.OPEN, started_at=None)


@cache
def pages_before(game: str, language: str = SOURCE) -> Mapping[str, str]:
    return files_of(before(game, language))


def words_of(html: str) -> list[str]:
    """What a reader reads."""
    inline = re.sub(r"</?(?:a|code|em|strong|q|time)\b[^>]*>", "", html)
    return unescape(re.sub(r"<[^>]*>", " ", inline)).split()


# --- Markdown -------------------------------------------------------------------------------------
class Elements(HTMLParser):
    ALLOWED = re.compile(
        r"p|h[1-6]|ul|ol|li|pre|code|em|strong|a|br|hr|blockquote|div|table|thead|tbody|tr|th|td"
    )
    ATTRIBUTES = re.compile("href|title|id|class|scope|start|role|tabindex|aria-label")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert self.ALLOWED.fullmatch(tag)
        for name, value in attrs:
            assert self.ATTRIBUTES.fullmatch(name)
            if name == "href":
                assert re.match(r"https?://|mailto:|#", value or "", re.IGNORECASE)


@given(st.text(alphabet=st.sampled_from("<>&\"'`*_[]()!|-:#= \n\\abhrefscriptjx/.1"), max_size=200))
def test_no_text_becomes_an_element_that_loads_or_runs(text: str) -> None:
    Elements().feed(render(text).html)


@pytest.mark.parametrize(
    "evil",
    [
        "<script>alert(1)</script>",
        "a <img src=x onerror=alert(1)> b",
        "<style>h1 { display: none }</style>",
        "[a team](javascript:alert(1))",
        "[a team](JAVASCRIPT:alert(1))",
        "[a team](data:text/html,hello)",
        "![a picture](https://spy.example/picture.png)",
        "[a page](../images.md)",
        "# <b>title</b>\n\n## <i>part</i>\n\n| <u>a</u> |\n|---|\n| b |",
        "| a |\n|:---:|\n| b |",
        '```"><script>\nalert(1)\n```',
        '## "><script>alert(1)</script>\n\n    code',
    ],
)
def test_markdown_of_strangers_stays_text(evil: str) -> None:
    Elements().feed(render(evil).html)


def test_links_to_the_web_stay_and_links_to_other_files_become_text() -> None:
    html = render("[one](https://one.example/) and [two](../two.md), <me@one.example>").html
    assert html == (
        '<p><a href="https://one.example/">one</a> and two, '
        '<a href="mailto:me@one.example">me@one.example</a></p>\n'
    )


def test_wide_parts_can_be_moved_by_keyboard_and_have_names_of_their_own() -> None:
    html = render(
        "## Who wins\n\n| a |\n|---|\n| b |\n\n| c |\n|---|\n| d |\n\n```\ncode\n```"
    ).html
    regions = re.findall(
        r'<(\w+)(?: class="scroll")? role="region" tabindex="0" aria-label="([^"]*)">', html
    )
    assert regions == [
        ("div", "Table: Who wins"),
        ("div", "Table: Who wins 2"),
        ("pre", "Code: Who wins"),
    ]


def test_an_empty_heading_of_a_table_is_an_empty_cell() -> None:
    html = render("| | b |\n|---|--:|\n| 1 | 2 |").html
    assert "<td></td>" in html
    assert (
        html.count('<th class="n" scope="col">b</th>')
        == html.count("<th") - html.count("<thead")
        == 1
    )


def test_headings_of_the_same_words_have_anchors_of_their_own() -> None:
    rendered = render("# Title\n\n## The goal\n\n## The goal\n\n## ???\n\n## Content", ("content",))
    assert [anchor for anchor, _ in rendered.headings] == [
        "the-goal",
        "the-goal-2",
        "part",
        "content-2",
    ]
    assert "Title" not in rendered.html


@pytest.mark.parametrize("language", available())
@pytest.mark.parametrize("game", GAMES)
def test_the_page_has_all_words_of_the_rules_of_the_game(game: str, language: str) -> None:
    html = pages_before(game, language)["rules.html"]
    mailed = re.sub(r"<!--.*?-->", "", rules_text(game, language), flags=re.DOTALL)
    mailed = re.sub(
        r"\]\([^)]*\)", "", re.sub(r"^ *```\w*$|^#+ .*\n", "", mailed, flags=re.MULTILINE)
    )
    wanted = set(re.findall(r"\w{2,}", mailed))
    assert len(wanted) > 100
    assert wanted <= set(re.findall(r"\w{2,}", " ".join(words_of(html))))
    assert html.count('tabindex="0"') >= html.count("<table")


@pytest.mark.parametrize("page", ["rules.html", "commands.html"])
def test_headings_and_labels_are_in_the_contests_language(page: str) -> None:
    """Those for people who see them, and those for people who hear them."""
    found = r'<(?:h[1-6]|summary)[^>]*>([^<]*)|aria-label="([^"]*)"'
    english, german = (
        {
            "".join(words)
            for words in re.findall(found, pages_before("hog", language)[page].split("<main")[1])
        }
        for language in ("en", "de")
    )
    same = english & german
    assert len(german) > 10
    assert same <= {command.name for command in texts_of(settings_of("hog")).commands}


# --- mails as blocks ------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("", []),
        ("One\n===\n\nText of\ntwo lines.", ["heading", "paragraph"]),
        ("- one\n  more\n- two\n\n- three", ["list"]),
        (
            "To send it, write\n    To: us\n\n    Body\n\nThen wait.",
            ["paragraph", "sample", "paragraph"],
        ),
        ("Text.\n\n-- \nThe robot", ["paragraph"]),
        ("a - b\n- c", ["paragraph"]),
        ("Q: What is it?\n\nA game.", ["heading", "paragraph"]),
        ("Questions: none.", ["paragraph"]),
    ],
)
def test_the_layout_of_a_mail_says_what_is_what(text: str, kinds: list[str]) -> None:
    assert [str(block.kind) for block in blocks(text)] == kinds


def test_lines_of_samples_and_those_that_were_ended_on_purpose_stay() -> None:
    long = "word " * 13 + "end"
    (block,) = blocks(f"{long}\nfollows here\nand here.", 72)
    assert block.lines == (f"{long} follows here", "and here.")
    (_, sample) = blocks("Write\n\n    a\n\n      b\n    c")
    assert (sample.kind, sample.text) == (BlockKind.SAMPLE, "a\n\n  b\nc")


@given(st.text(alphabet=st.sampled_from("ab-=` \n"), max_size=120))
def test_no_word_of_a_mail_is_lost(text: str) -> None:
    # without signatures, lines below headings and words of signs
    text = re.sub("[-=]", r"\g<0> ", text)
    shown = [word for block in blocks(text) for word in block.text.split()]
    assert [word for word in shown if word != "-"] == [word for word in text.split() if word != "-"]


def test_words_between_backticks_are_parted_from_others() -> None:
    assert spans("send `a b` or `c`") == (
        (False, "send "),
        (True, "a b"),
        (False, " or "),
        (True, "c"),
    )
    assert spans("one ` alone") == ((False, "one ` alone"),)


# --- mail commands --------------------------------------------------------------------------------
@pytest.mark.parametrize("game", GAMES)
def test_each_sample_letter_means_its_command(game: str) -> None:
    settings = settings_of(game)
    for command in texts_of(settings).commands:
        found = recognise(command.letter.subject, settings)
        assert found.command.name == command.name
        assert found.arguments or not found.command.arguments or command.name == "help", (
            command.name
        )


@pytest.mark.parametrize("game", GAMES)
def test_a_letter_that_a_team_must_sign_shows_how(game: str) -> None:
    bodies = {command.name: command.letter.body for command in texts_of(settings_of(game)).commands}
    for name in (
        "compile",
        "test",
        "withdraw",
        "mail-preference",
        "change address",
        "objection",
        "report",
    ):
        if name in bodies:
            line = find_from_line(bodies[name].split("\n"))
            assert isinstance(line, FromLine), name
            assert (line.team, line.string) == ("team_name", "authentification_string")
    assert bodies["help"] == bodies["rules"] == bodies["status"] == ""
    assert bodies["registration"].startswith("mail-address: name@machine.domain\n")


@pytest.mark.parametrize("game", GAMES)
def test_the_page_of_commands_has_the_words_of_help(game: str) -> None:
    facts = before(game)
    html = pages_before(game)["commands.html"]
    section = r'<section class="command" aria-labelledby="([\w-]+)">(.*?)</section>'
    sections = dict(re.findall(section, html, re.S))
    assert list(sections) == [command.name for command in facts.texts.commands]
    for command in facts.texts.commands:
        shown = " ".join(words_of(sections[command.name])).casefold()
        for word in re.findall(r"[\w@<>.:-]+", command.about.replace("`", "")):
            assert word.casefold() in shown, (command.name, word)


@pytest.mark.parametrize(
    "letter",
    [
        SampleLetter(
            "knobeln@ira.example", "registration for KNOBELN", "team-name: a & b\n  me+you, 20%?\n"
        ),
        SampleLetter("robot+spring@ira.example", "help"),
        SampleLetter("a&b?c@ira.example", "Grüße & mehr"),
    ],
)
def test_the_link_opens_the_letter(letter: SampleLetter) -> None:
    found = urlsplit(letter.link)
    fields = parse_qs(found.query.replace("+", "%2B"), strict_parsing=True)
    assert found.scheme == "mailto"
    assert unquote(found.path) == letter.to
    assert fields["subject"] == [letter.subject]
    assert fields.get("body", [""]) == [letter.body.replace("\n", "\r\n")]
    assert " " not in letter.link


# --- all of them ----------------------------------------------------------------------------------
PAGES = ("rules.html", "questions.html", "commands.html", "announcement.html")


@pytest.mark.parametrize("game", GAMES)
def test_the_announcement_has_all_words_of_the_mail_but_the_rules_of_the_game(game: str) -> None:
    facts = before(game)
    shown = words_of(pages_before(game)["announcement.html"])
    mailed = facts.texts.announcement.partition("\n-- \n")[0].replace("`", "")
    missing = {word for word in mailed.split() if not re.fullmatch(r"[-=]+", word)} - set(shown)
    assert not {word for word in missing if word not in " ".join(shown)}


@pytest.mark.parametrize("game", GAMES)
def test_each_question_is_a_heading_with_its_answer_below(game: str) -> None:
    facts = before(game)
    html = pages_before(game)["questions.html"]
    asked = re.findall(r"^Q: (.*(?:\n   .*)*)", facts.texts.questions, re.MULTILINE)
    headings = [" ".join(words_of(each)) for each in re.findall(r"<h2>(.*?)</h2>", html)]
    assert headings == [" ".join(each.replace("`", "").split()) for each in asked]
    assert len(headings) > 8
    mailed = facts.texts.questions.partition("\n-- \n")[0].replace("`", "").replace("Q: ", "")
    assert all(word in " ".join(words_of(html)) for word in mailed.split())


@pytest.mark.parametrize("game", GAMES)
def test_the_rules_have_the_numbers_of_the_mail_that_brings_them(game: str) -> None:
    facts = before(game)
    mail = Templates(facts.settings, None).render("rules", has_rules=True).body
    page = pages_before(game)["rules.html"]
    shown = " ".join(words_of(page))
    part = mail.partition("In this contest:")[2].partition("The dates:")[0].replace("`", "")
    assert part.split()
    assert all(word in shown for word in part.split() if word != "-")
    texts = facts.texts
    for text in (texts.programs, texts.faults, texts.limits, texts.evolution):
        assert all(word in shown for word in text.replace("`", "").split() if word != "-")
    assert bool(texts.evolution) is facts.settings.evolution.enabled
    assert f"{facts.settings.dates.contest_starts:%Y-%m-%d %H:%M}" in shown
    assert all(f">{code}<" in page for code in facts.settings.reports.offered)


@pytest.mark.parametrize("path", PAGES)
def test_the_organizers_words_stay_text(path: str) -> None:
    facts = before("knobeln")
    evil = '<script>alert("1")</script> `<b>` <https://spy.example/"onclick="x> javascript:alert(1)'
    (command, *_) = facts.texts.commands
    texts = replace(
        facts.texts,
        announcement=f"{evil}\n===\n\n{evil}\n\n- {evil}\n\n    {evil}",
        questions=f"Q: {evil}\n\n{evil}",
        numbers=evil,
        draw=evil,
        commands=(
            replace(
                command, about=f"  {evil}\n      {evil}", letter=SampleLetter(evil, evil, evil)
            ),
        ),
    )
    html = files_of(replace(facts, texts=texts))[path]
    assert "&lt;script&gt;" in html
    assert "<script>" not in html
    assert "<b>" not in html
    assert not re.search(r'<[^>]*\sonclick="', html)
    assert 'href="javascript' not in html.casefold()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda facts: facts, "Nobody knows it yet."),
        (
            lambda facts: replace(facts, phase=Phase.RUNNING, started_at=SOME_DAY),
            "The contest seed is",
        ),
    ],
)
def test_the_rules_tell_of_the_draw_what_is_true_now(change: Callable[..., Any], said: str) -> None:
    files = files_of(change(before("knobeln")))
    assert said in " ".join(words_of(files["rules.html"]))
    is_past = "The contest was announced with this text." in files["announcement.html"]
    assert is_past is (said != "Nobody knows it yet.")
