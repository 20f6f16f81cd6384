"""Which texts of programs are alike."""

import re
from itertools import combinations

import pytest

from compiler import likeness as module
from compiler.likeness import Alike, alike_texts, count_words, fingerprints, words
from contest.games.knobeln import Rules
from knobellib.kits import knobeln_kit
from knobellib.samples import house_strategies, samples

HOUSE = {strategy.name: strategy.source for strategy in house_strategies()}


def in_c(**sources: str) -> dict[str, dict[str, str]]:
    return {name: {"program.c": source} for name, source in sources.items()}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("int mine = 16; /* my throw */", "int\n  t\t=\n 0x10;  // another comment"),
        ("x = 020 + 16L;", "yy = 16 + 16;"),
        ("#define LIMIT 12\nif (a < LIMIT) b ();", "if (p < 12) q ();"),
        (
            "#if 0\nwords of one\n#endif\nf (1);",
            "#if 0\nthe other's words, isn't it\n#endif\ng (1);",
        ),
        ("/*\n <<FROM>> team 1234-abcd\n*/ f ();", "f ();"),
    ],
)
def test_names_comments_layout_and_the_form_of_numbers_make_no_difference(
    one: str, other: str
) -> None:
    assert words("one.c", one) == words("other.c", other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a < b;", "a > b;"),
        ("a = 16;", "a = 17;"),
        ("if (a) b;", "while (a) b;"),
        ('f ("a");', 'f ("b");'),
    ],
)
def test_what_a_program_does_makes_a_difference(one: str, other: str) -> None:
    assert words("one.c", one) != words("other.c", other)


@pytest.mark.parametrize(
    ("suffix", "one", "other"),
    [
        ("py", 'def f(a):\n    """Says."""\n    return a // 2  # half', "def g(b): return b // 2"),
        ("sh", 'if [ "$1" ]; then echo "#"; fi # comment', 'if [ "$1" ]; then print "#"; fi'),
        ("pl", "my $n = $#list; # it's", "my $m = $#other;"),
        ("js", "let a = 1; // one\nfunction f() {}", "let b = 1; function g() {}"),
        ("lua", "local n = #list -- it's\nreturn n", "local m = #other\nreturn m"),
        ("hs", "f x = x -- as it is", "g y = y"),
        ("lisp", "(f #'g) ; a comment", "(h #'i)"),
        ("f90", "x = y ! it's half", "a = b"),
        ("ml", "let f = {x = 1} (* a record *)", "let g = {y = 1}"),
        ("pas", "x := 1; { one } (* two *) y := 2; // three", "a := 1; b := 2;"),
    ],
)
def test_other_languages_are_read_by_their_own_comments(suffix: str, one: str, other: str) -> None:
    ours, theirs = words(f"one.{suffix}", one), words(f"other.{suffix}", other)
    assert [word for word in ours if word != '""'] == theirs  # of a long string two quotes remain


def test_no_two_house_strategies_are_alike_but_for_the_kit_and_each_is_like_itself() -> None:
    kit = [{file.name: file.data.decode()} for file in knobeln_kit(Rules()).files]
    assert alike_texts(in_c(**HOUSE), kit) == ()
    twice = in_c(one=HOUSE["council"], other=HOUSE["council"])
    assert alike_texts(twice) == (Alike("one", "other", 1.0),)


def test_what_all_teams_got_does_not_count() -> None:
    programs = in_c(one=HOUSE["planner"] + HOUSE["echo"], other=HOUSE["planner"] + HOUSE["council"])
    assert [(pair.one, pair.other) for pair in alike_texts(programs)] == [("one", "other")]
    assert alike_texts(programs, [{"planner.c": HOUSE["planner"]}]) == ()


def test_a_copy_in_a_longer_program_is_found_and_so_are_many_copies() -> None:
    kit = [{file.name: file.data.decode()} for file in knobeln_kit(Rules()).files]
    own = HOUSE["council"]
    around = samples("ultimate-tic-tac-toe")["alpha_beta.c"].decode()
    padded = in_c(**HOUSE, longer=around + own + around[::-1])
    assert [(pair.one, pair.other) for pair in alike_texts(padded, kit)] == [("council", "longer")]
    copies = [f"copy{n:02}" for n in range(30)]
    found = alike_texts(in_c(**dict.fromkeys(copies, own)))
    assert {(pair.one, pair.other) for pair in found} == set(combinations(copies, 2))


def test_a_text_with_little_of_its_own_says_nothing() -> None:
    short = "main () { init_random (); for (;;) make_throw (6143); }"
    assert alike_texts(in_c(one=short, other=short)) == ()
    assert count_words({"program.c": short}) == 19


def test_a_rewritten_sample_of_any_language_is_found() -> None:
    files = samples("ultimate-tic-tac-toe") | samples("bid-tac-toe")
    texts = {name: {name: data.decode()} for name, data in files.items()}
    copies = {f"copy of {name}": {name: _renamed(each[name])} for name, each in texts.items()}
    found = {frozenset((pair.one, pair.other)) for pair in alike_texts(texts | copies)}
    assert found >= {frozenset((f"copy of {name}", name)) for name in texts}


def _renamed(text: str) -> str:
    """The text with one more letter at the end of each name."""
    return re.sub(r"\b[a-z_]+\b", lambda m: m[0] if m[0] in module._ALL_WORDS else f"{m[0]}s", text)


@pytest.mark.parametrize(
    "text", ['"' * 30_000, "#" * 30_000, "'''" * 20_000 + '"""', "\\\n" * 30_000]
)
def test_hostile_texts_take_no_long_time(text: str) -> None:
    for suffix in ("c", "py", "js", "unheard-of"):
        assert len(fingerprints({f"program.{suffix}": text})) <= len(text)
