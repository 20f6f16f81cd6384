"""A reader plays against the programs of an archive, by the check page's own scripts in node."""

import hashlib
import json
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from contest.games.bid_tac_toe import SQUARES, BidTacToe, Board, lines, why_illegal
from contest.games.knobeln import throw_points
from contest.games.ultimate_tic_tac_toe import (
    Boards,
    UltimateTicTacToe,
    game_state,
    game_winner,
    open_squares,
    winners,
)
from tests.support.check_page import mended
from tests.support.machine_programs import compiled
from tests.support.reader_games import page_plays, tournament_plays

EXAMPLE = Path(__file__).parents[2] / "docs" / "archive-example" / "archive.tar.gz"
RANDOM = bytes(range(16))
RULES = {"a": 1, "b": 12288, "k": 8, "L": 60}
CLIMBING = [1000 + 150 * number for number in range(60)]
FALLING = [6000] * 8 + [40] * 8 + [12288] * 9 + [7] * 35
LOW = [1] * 60


@pytest.fixture(scope="module")
def example() -> Mapping[str, bytes]:
    """The files of the example archive, by path."""
    with tarfile.open(EXAMPLE) as tar:
        members = [member for member in tar.getmembers() if member.isfile()]
        return {
            member.name.partition("/")[2]: tar.extractfile(member).read()  # type: ignore[union-attr]
            for member in members
        }


def visit(archive: Path, questions: Sequence[Mapping[str, object]]) -> Any:
    """What the page says of the archive, and its programs to these questions."""
    (said,) = page_plays(visits=[{"archive": archive, "questions": questions}])["visits"]
    return said


# --- KNOBELN --------------------------------------------------------------------------------------
def test_a_game_is_the_one_that_the_tournament_plays_with_the_same_throws(
    example: Mapping[str, bytes],
) -> None:
    builds = {entry["name"]: entry["build"] for entry in json.loads(example["entries.json"])}
    chosen = [(name, throws) for name in sorted(builds)[:5] for throws in (CLIMBING, FALLING, LOW)]
    questions = [
        {"name": name, "random": RANDOM.hex(), "throws": throws} for name, throws in chosen
    ]
    answers = visit(EXAMPLE, questions)["answers"]
    for (name, throws), answer in zip(chosen, answers, strict=True):
        played = tournament_plays(example[f"builds/{builds[name]}"], throws, RANDOM, RULES)
        assert answer["digest"] == played.digest
        assert list(zip(*answer["throws"], strict=True)) == list(played.moves or ())
        assert [seat["points"] for seat in answer["seats"]] == [
            seat.points for seat in played.seats
        ]
        assert answer["seats"][1]["instructions"] == played.seats[1].instructions
        assert answer["throws"][0] == throws


def test_what_was_thrown_stays_so_when_more_is_thrown() -> None:
    """Each throw is a game of its own that begins with all before it."""
    sizes = (1, 2, 9, 59, 60)
    questions = [
        {"name": "blue_bottle", "random": RANDOM.hex(), "throws": CLIMBING[:size]} for size in sizes
    ]
    answers = visit(EXAMPLE, questions)["answers"]
    longest = answers[-1]["throws"][1]
    assert len(set(longest)) > 10
    for size, answer in zip(sizes, answers, strict=True):
        assert answer["throws"] == [CLIMBING[:size], longest[:size]]


def test_the_first_of_the_ranking_is_offered_first(example: Mapping[str, bytes]) -> None:
    listed = visit(EXAMPLE, [])["listed"]
    first, *_ = json.loads(example["ranking.json"])
    assert listed["programs"][0]["name"] == first["entry"]
    assert listed["programs"][0]["rank"] == 1
    assert len(listed["programs"]) == len(json.loads(example["entries.json"]))
    assert listed["others"] == []


FAULTS = {
    "drops": (
        "int main() { make_throw(500); make_throw(600); make_throw(400); }",
        "drops has thrown 400, lower than 600 before, after a series of only 2 throws.",
    ),
    "zero": (
        "int main() { make_throw(5); make_throw(0); }",
        "zero has thrown 0, but only 1 to 12288 are allowed.",
    ),
    "large": (
        "int main() { make_throw(12289); }",
        "large has thrown 12289, but only 1 to 12288 are allowed.",
    ),
    "leaves": ("int main() { make_throw(5); return 0; }", "leaves has ended before the game."),
    "crashes": (
        "int main() { make_throw(5); *(int *) 0 = 1; make_throw(5); }",
        "crashes has crashed.",
    ),
    "endless": (
        "int main() { make_throw(5); for (;;); }",
        "endless has used up the time of a whole game of the contest.",
    ),
    "deep": (
        "int f(int n) { int a[999]; a[n % 999] = n; return f(n + 1) + a[1]; }"
        "int main() { make_throw(5); make_throw(f(1)); }",
        "deep has used more memory than there is.",
    ),
}


def test_each_fault_of_a_program_ends_the_game_in_a_sentence(
    example: Mapping[str, bytes], tmp_path: Path
) -> None:
    images = {name: compiled(source) for name, (source, _) in FAULTS.items()}
    (tmp_path / "faults.tar").write_bytes(
        with_programs(example, {name: image.to_bytes() for name, image in images.items()})
    )
    questions = [{"name": name, "random": RANDOM.hex(), "throws": LOW} for name in FAULTS]
    answers = visit(tmp_path / "faults.tar", questions)["answers"]
    assert [answer["fault"] for answer in answers] == [told for _, told in FAULTS.values()]
    assert [len(answer["throws"][0]) for answer in answers] == [2, 1, 0, 1, 1, 1, 1]


def with_programs(example: Mapping[str, bytes], builds: Mapping[str, bytes]) -> bytes:
    """The archive with these programs alone, with little time for each."""
    digests = {name: hashlib.sha256(build).hexdigest() for name, build in builds.items()}
    rest = {path: data for path, data in example.items() if not path.startswith("builds/")}
    template, *_ = json.loads(rest["entries.json"])
    entries = [{**template, "name": name, "build": digest} for name, digest in digests.items()]
    contest = rest["contest.json"].replace(b"855000000", b"1000000")
    files = {f"builds/{digests[name]}": build for name, build in builds.items()}
    changed = {"entries.json": written(entries), "contest.json": contest, **files}
    return mended({**rest, **changed, "ranking.json": written([])})


def written(value: object) -> bytes:
    return f"{json.dumps(value, indent=1)}\n".encode()


STRANGE = [
    ("contest.json", b'"knobeln"', b'"hog"', "but not the game of this contest"),
    ("contest.json", b'"a": 1,', b'"a": 0,', "the rules are impossible"),
    ("contest.json", b'"k": 8,', b'"k": 0,', "the rules are impossible"),
    ("contest.json", b'"b": 12288', b'"b": -1', "the rules are impossible"),
    ("ranking.json", b"[", b"{", "ranking.json cannot be read: this is not JSON"),
    ("entries.json", b'"name"', b'"Name"', "builds/undefined is missing"),
]


def test_an_archive_that_is_none_is_told_of_in_a_sentence(
    example: Mapping[str, bytes], tmp_path: Path
) -> None:
    visits = []
    for number, (path, old, new, _) in enumerate(STRANGE):
        archive = tmp_path / f"{number}.tar"
        archive.write_bytes(mended({**example, path: example[path].replace(old, new)}))
        question = {"name": "blue_bottle", "random": RANDOM.hex(), "throws": [1]}
        visits.append({"archive": archive, "questions": [question]})
    said = page_plays(visits=visits)["visits"]
    for (*_, why), each in zip(STRANGE, said, strict=True):
        assert why in each["error"]


def test_a_build_that_was_swapped_does_not_play(
    example: Mapping[str, bytes], tmp_path: Path
) -> None:
    first, second, *_ = (path for path in example if path.startswith("builds/"))
    (tmp_path / "swapped.tar").write_bytes(mended({**example, first: example[second]}))
    names = {each["build"]: each["name"] for each in json.loads(example["entries.json"])}
    name = names[first.removeprefix("builds/")]
    question = {"name": name, "random": RANDOM.hex(), "throws": [1]}
    said = visit(tmp_path / "swapped.tar", [question])
    assert "is another build: its sha256 is not its name" in said["error"]


PAIRS = [
    (5, 5),
    (6800, 3400),
    (6801, 3400),
    (3400, 6800),
    (3400, 6801),
    (12288, 6143),
    (2, 1),
    (3, 1),
    (1, 3),
    (12288, 1),
    (1, 12288),
    (2**30, 2**29),
]


def test_who_wins_a_throw_is_the_rule_of_the_game() -> None:
    winners_by_page = page_plays(pairs=PAIRS)["winners"]
    for (first, second), winner in zip(PAIRS, winners_by_page, strict=True):
        points = throw_points(8 * first, 8 * second)  # a 1 wins no points
        assert winner == (points.index(max(points)) if any(points) else None)


TOLD = [
    ((5, 5), "You 5, it 5: the same, so nobody wins."),
    ((6, 5), "You 6, it 5: you win 7 points, as your number is higher."),
    ((5, 11), "You 5, it 11: you win 7 points, as 11 is more than twice 5."),
    ((5, 6), "You 5, it 6: it wins 7 points, as its number is higher."),
    ((11, 5), "You 11, it 5: it wins 7 points, as 11 is more than twice 5."),
]


def test_a_throw_is_told_with_its_reason() -> None:
    said = page_plays(pairs=[pair for pair, _ in TOLD])["told"]
    assert said == [told for _, told in TOLD]


RANGE = "Choose a whole number from {} to 12288."
EARLY = "{} is lower than {}, your number before. You may go lower after {}."
TEXTS: Sequence[tuple[str, list[int], str]] = [
    ("", [], RANGE.format(1)),
    ("0", [], RANGE.format(1)),
    ("-5", [], RANGE.format(1)),
    ("1.5", [], RANGE.format(1)),
    ("1e3", [], RANGE.format(1)),
    ("12289", [], RANGE.format(1)),
    ("99999999999", [], RANGE.format(1)),
    ("twelve", [7], RANGE.format(7)),
    ("1", [], ""),
    (" 12288 ", [], ""),
    ("4", [5], EARLY.format(4, 5, "7 more throws")),
    ("4", [5, 5, 5, 5, 5, 5, 5], EARLY.format(4, 5, "1 more throw")),
    ("4", [5] * 8, ""),
    ("4", [5] * 9, ""),
    ("3", [5] * 8 + [4], EARLY.format(3, 4, "7 more throws")),
    ("5", [5], ""),
]


def test_what_a_reader_may_not_throw_is_told_with_what_it_may() -> None:
    said = page_plays(texts=[(text, own, RULES) for text, own, _ in TEXTS])["whyNot"]
    assert said == [why for _, _, why in TEXTS]


HAPPENED = [
    ({"answer": "C\n\x1b[31m" + 100 * "x"}, f'it has answered "C [31m{54 * "x"}"'),
    ({"kind": "late"}, "it has used up its time for an answer"),
    ({"kind": "crash"}, "it has crashed, or has ended"),
    ({"kind": "too long"}, "its answer was too long"),
    ({"kind": "no answer"}, "it has not answered"),
]


def test_what_a_program_did_in_place_of_an_answer_is_told() -> None:
    said = page_plays(answers=[answer for answer, _ in HAPPENED])["happened"]
    assert said == [told for _, told in HAPPENED]


# --- games on boards ------------------------------------------------------------------------------
def random_bids(board: Board, seat: int, random: Random) -> tuple[int, ...]:
    """Bids that are mostly allowed."""
    bids = [
        random.choice((0, 0, 5, 10, 30)) if board.owners[square] is None else 0
        for square in SQUARES
    ]
    if random.random() < 0.1:
        bids[random.randrange(9)] = random.choice((-1, 101, 1))
    return tuple(bids)


def rounds_of(random: Random) -> tuple[list[Any], list[Any]]:
    """The rounds of a game of Bid-Tac-Toe, and what is so after each of them."""
    game, board = BidTacToe(("reader", "program")), Board()
    rounds, facts = [], []
    while not board.over:
        both = (random_bids(board, 0, random), random_bids(board, 1, random))
        wrong = [why_illegal(board, seat, both[seat]) is not None for seat in (0, 1)]
        if not any(wrong):
            board = game.apply(board, dict(enumerate(both)))
        rounds.append(both)
        question = [str(word) for word in game.question(board, 1, game.info.protocols[0])]
        own_lines = [lines(board.owners, seat) for seat in (0, 1)]
        facts.append((wrong, list(board.owners), list(board.bankrolls), own_lines, question))
    return rounds, facts


def test_the_page_plays_bid_tac_toe_by_the_rules() -> None:
    random = Random(2007)  # noqa: S311
    games = [rounds_of(random) for _ in range(60)]
    said = page_plays(bids=[rounds for rounds, _ in games])["rounds"]
    refused = 0
    for (_, facts), of_page in zip(games, said, strict=True):
        assert of_page[-1]["isOver"]
        assert [each["isOver"] for each in of_page[:-1]] == [False] * (len(of_page) - 1)
        assert [
            (
                [bool(why) for why in each["why"]],
                each["board"]["owners"],
                each["board"]["bankrolls"],
                each["lines"],
                [str(word) for word in each["question"]],
            )
            for each in of_page
        ] == facts
        refused += sum(any(each["why"]) for each in of_page)
    assert refused


def moves_of(random: Random) -> tuple[list[int], list[Any]]:
    """The moves of a game of Ultimate Tic-Tac-Toe, and what is so before each and at the end."""
    game, position = UltimateTicTacToe(), Boards()
    moves: list[int] = []
    facts = []
    while True:
        winner = game_winner(position)
        won = [winners(position.squares).count(mark) for mark in "12"]
        allowed = open_squares(position)
        facts.append((game_state(position), allowed, -1 if winner is None else winner, won))
        if not allowed:
            return moves, facts
        moves.append(random.choice(allowed))
        position = game.apply(position, {position.mover: moves[-1]})


def test_the_page_plays_ultimate_tic_tac_toe_by_the_rules() -> None:
    random = Random(2017)  # noqa: S311
    games = [moves_of(random) for _ in range(8)]
    said = page_plays(squares=[moves for moves, _ in games])["moves"]
    for (_, facts), of_page in zip(games, said, strict=True):
        assert all(each["question"][0] == "5" for each in of_page)
        assert [
            (each["question"][1], each["open"], each["winner"], each["won"]) for each in of_page
        ] == facts
    assert {facts[-1][2] for _, facts in games} >= {0, 1}
