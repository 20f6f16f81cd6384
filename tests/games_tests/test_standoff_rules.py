"""The mega mexican standoff: shots, ammunition, the circle that closes, the end (M1-M10).

`simulated` is the game told a second time, straight from the announcement, with a linked circle of
people.
"""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.games.game import TextProtocol
from contest.games.standoff import Action, Circle, Fighter, Standoff
from contest.testing import check_game

S, P, R, N = Action.SHOOT, Action.PROTECT, Action.RELOAD, Action.NOTHING

Answers = Mapping[int, Action]


def no_lots(bound: int) -> int:
    raise AssertionError("there is no chance in this game")


def fighter(triplet: str, fell: int | None = None) -> Fighter:
    health, ammo, last = triplet.split("/")
    return Fighter(int(health), int(ammo), Action(last), fell)


def circle(*triplets: str, rounds: int = 0) -> Circle:
    return Circle(tuple(map(fighter, triplets)), rounds)


def turn(rules: Standoff, position: Circle, answers: Answers) -> Circle:
    """A turn as a referee makes it: who does what the rules forbid is at fault."""
    allowed = {
        seat: move for seat, move in answers.items() if not rules.why_illegal(position, seat, move)
    }
    if allowed.keys() == rules.players_to_move(position):
        return rules.apply(position, allowed)
    return rules.apply_with_faults(position, allowed, no_lots)


def acted(rules: Standoff, position: Circle, actions: str) -> Circle:
    """A turn in which the living do this, in the order of the circle."""
    return turn(rules, position, dict(zip(position.alive, map(Action, actions), strict=True)))


def words(position: Circle, seat: int) -> tuple[str | int | float, ...]:
    return Standoff().question(position, seat, TextProtocol.ARGV)


# --- a second telling of the rules ----------------------------------------------------------------
class Person:
    def __init__(self) -> None:
        self.hp, self.ammo, self.last = 30, 2, "N"
        self.left: Person = self
        self.right: Person = self
        self.death = 0


def simulated(people: int, rounds: Sequence[Sequence[str]]) -> list[Person]:
    """The people after these rounds; a round has a letter for each seat, those of the dead are
    ignored."""
    everybody = [Person() for _ in range(people)]
    for place, person in enumerate(everybody):
        person.right = everybody[(place + 1) % people]
        person.right.left = person
    for number, letters in enumerate(rounds, start=1):
        living = [person for person in everybody if not person.death]
        if len(living) <= 1:
            break
        wishes = dict(zip(everybody, letters, strict=True))
        for person in living:
            wish = wishes[person]
            if (
                (wish == "S" and person.ammo < 1)
                or (wish == "R" and person.ammo > 1)
                or wish not in "SPRN"
            ):
                wish = "N"
            person.last = wish
        for person in living:
            if person.last == "S":
                person.ammo -= 1
                for target in {person.left, person.right}:
                    target.hp -= 4 if target.last == "P" else 10
            if person.last == "R":
                person.ammo += 1
        for person in living:
            if person.hp <= 0:
                person.death = number
                person.left.right = person.right
                person.right.left = person.left
    return everybody


def told(person: Person) -> list[str]:
    seen = [person, person.left]
    if person.right is not person.left:
        seen.append(person.right)
    return [f"{each.hp}/{each.ammo}/{each.last}" for each in seen]


@st.composite
def standoffs(draw: st.DrawFn) -> tuple[int, list[list[str]]]:
    people = draw(st.integers(2, 9))
    letter = st.sampled_from("SSSPRNX")
    return people, draw(st.lists(st.lists(letter, min_size=people, max_size=people), max_size=25))


def compare(people: int, rounds: Sequence[Sequence[str]]) -> None:
    rules = Standoff()
    position = rules.start(people)
    for number, letters in enumerate(rounds):
        if not rules.players_to_move(position):
            break
        persons = simulated(people, rounds[:number])
        assert position.alive == tuple(
            seat for seat, person in enumerate(persons) if not person.death
        )
        for seat in position.alive:
            assert list(words(position, seat)) == told(persons[seat])
        answers = {seat: letters[seat] for seat in position.alive if letters[seat] != "X"}
        position = turn(rules, position, {seat: Action(letter) for seat, letter in answers.items()})
    persons = simulated(people, rounds)
    assert [(each.ammo, each.last, each.fell or 0) for each in position.fighters] == [
        (person.ammo, person.last, person.death) for person in persons
    ]
    assert [each.health for each in position.fighters] == [max(person.hp, 0) for person in persons]


@given(standoffs())
def test_every_game_goes_like_in_the_second_telling(standoff: tuple[int, list[list[str]]]) -> None:
    compare(*standoff)


# --- a round --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("triplet", "action", "sentence"),
    [
        ("30/0/N", S, "had no ammunition"),
        ("30/2/N", R, "wanted to reload"),
        ("30/2/N", S, None),
        ("30/1/N", R, None),
        ("30/0/N", R, None),
        ("1/0/N", P, None),
        ("1/0/N", N, None),
    ],
)
def test_what_cannot_be_done_is_objected_to(
    triplet: str, action: Action, sentence: str | None
) -> None:
    why_illegal = Standoff().why_illegal(circle(triplet, "30/2/N"), 0, action)
    assert why_illegal is None if sentence is None else sentence in str(why_illegal)


def test_who_gives_no_answer_does_nothing_and_the_round_is_one_like_any_other() -> None:
    rules = Standoff()
    position = rules.apply_with_faults(rules.start(3), {0: S, 2: P}, no_lots)
    assert [each.triplet for each in position.fighters] == ["30/1/S", "20/2/N", "26/2/P"]
    assert rules.players_to_move(position) == {0, 1, 2}
    rules = Standoff(max_rounds=2)
    position = rules.apply_with_faults(
        rules.apply_with_faults(rules.start(2), {}, no_lots), {}, no_lots
    )
    assert position.rounds == 2
    assert rules.players_to_move(position) == frozenset()


# --- the circle -----------------------------------------------------------------------------------


# --- the end --------------------------------------------------------------------------------------
def ended(*fell: int | None) -> Circle:
    fighters = tuple(Fighter(0 if each else 30, 0, N, each) for each in fell)
    return Circle(fighters, max(each or 0 for each in fell))


@pytest.mark.parametrize(
    ("position", "points"),
    [
        (ended(3, None, 5, 4), (0, 3, 2, 1)),
        (ended(3, 3, None), (0, 0, 2)),
        (ended(5, 3, 5), (1, 0, 1)),  # the last two die together
        (ended(4, 4, 4), (0, 0, 0)),  # nobody survives
        (ended(2, None), (0, 1)),
        (ended(None, None, 3, None), (1, 1, 0, 1)),  # it goes on
        (ended(None, None), (0, 0)),
    ],
)
def test_a_point_is_won_for_everyone_who_is_ranked_below(
    position: Circle, points: tuple[int, ...]
) -> None:
    assert Standoff().points(position) == points


@pytest.mark.parametrize(
    ("triplets", "points"),
    [
        (("30/2/P", "30/2/P", "30/2/P"), (0, 0, 0)),
        (("20/2/P", "30/0/P", "10/2/P"), (1, 2, 0)),  # health first
        (("30/1/P", "30/0/P", "30/2/P"), (1, 0, 2)),  # then ammunition
        (("30/1/P", "30/1/S", "20/2/P"), (1, 1, 0)),  # then they are equal
    ],
)
def test_the_survivors_of_the_last_round_are_ranked_by_health_then_ammunition(
    triplets: tuple[str, ...], points: tuple[int, ...]
) -> None:
    rules = Standoff(max_rounds=8)
    position = acted(rules, circle(*triplets, rounds=7), "PPP")
    assert rules.players_to_move(position) == frozenset()
    assert rules.points(position) == points
    assert Standoff(max_rounds=9).points(position) == (0, 0, 0)


def test_whoever_died_is_below_every_survivor_of_the_last_round() -> None:
    rules = Standoff(max_rounds=8)
    position = acted(rules, circle("30/2/N", "10/0/N", "11/0/N", rounds=7), "SNN")
    assert rules.points(position) == (2, 0, 1)


def test_all_who_only_protect_themselves_stand_to_the_thousandth_round_and_no_longer() -> None:
    rules = Standoff()
    position = rules.start(3)
    for _ in range(1000):
        assert rules.players_to_move(position)
        position = acted(rules, position, "PPP")
    assert not rules.players_to_move(position)


# --- answers and facts ----------------------------------------------------------------------------
@pytest.mark.parametrize("letter", "SPRN")
@pytest.mark.parametrize("form", ["{}", "{}\n", " {}\r\n"])
def test_a_letter_alone_is_an_answer(letter: str, form: str) -> None:
    assert Standoff().answer(Standoff().start(2), 0, form.format(letter)) == letter


@pytest.mark.parametrize(
    "text", ["", "s", "SS", "S P", "Shoot", "X", "C", "\ufeffS", "1", "debug\nS"]
)
def test_anything_else_is_no_answer_and_the_team_is_told_what_is(text: str) -> None:
    with pytest.raises(ValueError, match="must be S, P, R or N and nothing else, but it was"):
        Standoff().answer(Standoff().start(2), 0, text)


@pytest.mark.parametrize("most", [1, 7])
def test_the_promises_of_games_are_kept(most: int) -> None:
    check_game(Standoff(most), games=3)
