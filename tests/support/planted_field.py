"""Fields of KNOBELN programs with planted clones.

A program is a small tree of statements, drawn at random, and an author, who writes the tree down as C: with
names, comments, order, and turns of phrase of its own. A clone is the same tree by another author.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

CLONES_PER_FIELD = 20
TUNED_PER_FIELD = 4  # of the clones: they also have another constant

_HIGH, _SERIES = 12_288, 8
_MEMORIES = 3  # variables of a program beside `mine`, `yours` and `run`


# --- what a program does -----------------------------------------------------------------------------------
@dataclass(frozen=True)
class Number:
    value: int


@dataclass(frozen=True)
class Variable:
    name: str


@dataclass(frozen=True)
class Binary:
    operator: str
    left: Expression
    right: Expression


Expression = Number | Variable | Binary


@dataclass(frozen=True)
class Set:
    name: str
    value: Expression


@dataclass(frozen=True)
class Draw:
    name: str
    low: int
    high: int


@dataclass(frozen=True)
class If:
    condition: Binary
    yes: tuple[Statement, ...]
    no: tuple[Statement, ...]


Statement = Set | Draw | If


@dataclass(frozen=True)
class Tree:
    """A program: what it sets before the first throw, before each throw, and after it."""

    start: tuple[Statement, ...]
    before: tuple[Statement, ...]
    after: tuple[Statement, ...]


_COUNT = "memory0"
_NAMES = ("wish", "mine", "yours", "run", *(f"memory{number}" for number in range(_MEMORIES)))


def _tree(chance: random.Random) -> Tree:
    memories = _NAMES[-_MEMORIES:]
    start: tuple[Statement, ...] = (Draw("yours", *sorted(chance.sample(range(200, 9_000), 2))),)
    start += tuple(Set(name, Number(chance.randrange(_HIGH))) for name in memories)
    before = tuple(_statement(chance, "wish", depth=2) for _ in range(chance.randint(2, 4)))
    after = tuple(_statement(chance, name, depth=1) for name in memories[1:])
    return Tree(start, (_first_wish(chance), *before, _now_and_then(chance)), (*after, _count(chance)))


def _first_wish(chance: random.Random) -> Statement:
    """What all throws begin with: the families of programs differ by it."""
    mine, yours = Variable("mine"), Variable("yours")
    few, step = Number(chance.randint(1, 900)), Number(chance.randint(2, 9))
    return chance.choice(
        (
            Set("wish", Binary("+", yours, few)),
            Set("wish", Binary("+", mine, few)),
            Set("wish", Binary("+", yours, Binary("/", yours, step))),
            Set("wish", Binary("/", Binary("-", yours, Number(1)), Number(2))),
            Set("wish", Binary("*", yours, Number(2))),
            Draw("wish", *sorted(chance.sample(range(500, _HIGH), 2))),
        )
    )


def _now_and_then(chance: random.Random) -> Statement:
    """Something that surely happens, and that no other program does: they differ in behaviour."""
    number = Number(chance.randrange(1_000, _HIGH))
    return If(Binary("==", Variable(_COUNT), Number(chance.randint(0, 8))), (Set("wish", number),), ())


def _count(chance: random.Random) -> Statement:
    return Set(_COUNT, Binary("%", Binary("+", Variable(_COUNT), Number(1)), Number(chance.randint(9, 30))))


def _statement(chance: random.Random, target: str, depth: int) -> Statement:
    if depth and chance.random() < 0.8:
        yes = tuple(_statement(chance, target, depth - 1) for _ in range(chance.randint(1, 2)))
        no = tuple(_statement(chance, target, depth - 1) for _ in range(chance.randint(0, 1)))
        return If(_condition(chance), yes, no)
    if chance.random() < 0.15:
        return Draw(target, *sorted(chance.sample(range(1, _HIGH), 2)))
    value = _expression(chance, depth=2)
    return Set(
        target, Binary("%", value, Number(chance.randint(3_000, 20_000))) if target != "wish" else value
    )


def _condition(chance: random.Random) -> Binary:
    left, operator = Variable(chance.choice(_NAMES)), chance.choice(("<", ">", "<=", ">=", "==", "!="))
    right = _expression(chance, depth=1) if chance.random() < 0.5 else Variable(chance.choice(_NAMES))
    return Binary(operator, left, right if right != left else Number(chance.randrange(1, _HIGH)))


def _expression(chance: random.Random, depth: int) -> Expression:
    if not depth or chance.random() < 0.25:
        return Variable(chance.choice(_NAMES))
    operator = chance.choice("++--*/")
    left = _expression(chance, depth - 1)
    if operator in "*/":
        return Binary(operator, left, Number(chance.randint(2, 9)))
    right = Number(chance.randint(1, 4_000)) if chance.random() < 0.6 else _expression(chance, depth - 1)
    return Binary(operator, left, right)


# --- how an author writes it -------------------------------------------------------------------------------
_SYLLABLES = ("ba", "ko", "tri", "mel", "su", "no", "fer", "gla", "pi", "dur", "est", "li", "vo", "ran")
_SENTENCE = "the last throw of another player is more than what we need when it goes on for long"
_WORDS = _SENTENCE.split()
_LESS_USUAL = 0.25
_MIRROR = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}
_OPPOSITE = {"<": ">=", ">": "<=", "<=": ">", ">=": "<", "==": "!=", "!=": "=="}


class Author:
    """Writes a tree as C."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        words: set[str] = set()
        while len(words) < 40:
            words.add("".join(chance.choices(_SYLLABLES, k=chance.randint(2, 3))))
        self._words = iter(chance.sample(sorted(words), 40))
        self._names = {name: next(self._words) for name in _NAMES}
        self._loop = chance.choice(("for (;;)", "while (1)", "for (; 1;)", "while (2 > 1)"))
        self._macros: dict[int, str] = {}
        self._legal, self._throw = next(self._words), next(self._words)

    def program(self, tree: Tree) -> str:
        functions = [self._main(tree), self._legal_function(), self._throw_function()]
        self._chance.shuffle(functions)
        names = self._chance.sample(list(self._names.values()), len(self._names))
        cut = self._chance.randint(1, len(names) - 1)
        macros = [f"#define {name} {value}\n" for value, name in self._macros.items()]
        declared = [f"static int {', '.join(part)};\n" for part in (names[:cut], names[cut:])]
        declared.append(f"int {self._legal} (), {self._throw} ();\n")
        commented = [f"\n{self._comment()}{function}" for function in functions]
        return "".join((self._comment(), self._description(), *macros, *declared, *commented))

    def _main(self, tree: Tree) -> str:
        start = self._chance.sample(tree.start, len(tree.start))
        lines = (
            "int main ()\n{\n  init_random ();",
            *self._block(start, 1),
            f"  {self._loop} {{",
            *self._block(tree.before, 2),
            f"    {self._throw} ({self._names['wish']});",
            *self._block(tree.after, 2),
            "  }\n}\n",
        )
        return "\n".join(lines)

    def _comment(self) -> str:
        return f"/* {' '.join(self._chance.choices(_WORDS, k=self._chance.randint(3, 9)))} */\n"

    def _description(self) -> str:
        lines = (" ".join(self._chance.choices(_WORDS, k=9)) for _ in range(15))
        return "#if 0\n" + "\n".join(lines) + "\n#endif\n"

    def _less_usual(self) -> bool:
        """Whether to take the less usual one of two equivalent forms."""
        return self._chance.random() < _LESS_USUAL

    def _block(self, statements: Sequence[Statement], depth: int) -> Iterator[str]:
        for statement in statements:
            yield from self._statement(statement, "  " * depth, depth)

    def _statement(self, statement: Statement, indent: str, depth: int) -> Iterator[str]:
        match statement:
            case Draw(name, low, high):
                bounds = f"{self._number(low)}, {self._number(high)}"
                yield f"{indent}{self._names[name]} = next_random ({bounds});"
            case Set(name, Binary(operator, Variable(same), right)) if same == name and self._less_usual():
                yield f"{indent}{self._names[name]} {operator}= {self._text(right)};"
            case Set(name, value):
                yield f"{indent}{self._names[name]} = {self._text(value)};"
            case If(condition, yes, no):
                if no and self._less_usual():
                    condition, yes, no = replace(condition, operator=_OPPOSITE[condition.operator]), no, yes
                yield f"{indent}if ({self._text(condition)}) {{"
                yield from self._block(yes, depth + 1)
                if no:
                    yield f"{indent}}} else {{"
                    yield from self._block(no, depth + 1)
                yield f"{indent}}}" + (f"  {self._comment().strip()}" if self._less_usual() else "")

    def _text(self, expression: Expression) -> str:
        match expression:
            case Number(value):
                return self._number(value)
            case Variable(name):
                return self._names[name]
            case Binary(operator, left, right):
                if operator in _MIRROR and self._less_usual():
                    operator, left, right = _MIRROR[operator], right, left
                elif operator in "+*" and self._less_usual():
                    left, right = right, left
                return f"{self._operand(left)} {operator} {self._operand(right)}"

    def _operand(self, expression: Expression) -> str:
        text = self._text(expression)
        return f"({text})" if isinstance(expression, Binary) else text

    def _number(self, value: int) -> str:
        if value > 9 and self._less_usual():
            if self._chance.random() < 0.5:
                return hex(value)
            return self._macros.setdefault(value, next(self._words).upper())
        return str(value)

    def _legal_function(self) -> str:
        mine, run, wish = self._names["mine"], self._names["run"], next(self._words)
        clamp = self._chance.choice(
            (
                f"  if ({wish} < 1)\n    {wish} = 1;\n  if ({wish} > {_HIGH})\n    {wish} = {_HIGH};\n",
                f"  {wish} = {wish} < 1 ? 1 : {wish} > {_HIGH} ? {_HIGH} : {wish};\n",
            )
        )
        keep = self._chance.choice(
            (
                f"  if ({wish} < {mine} && {run} < {_SERIES})\n    {wish} = {mine};\n  return {wish};\n",
                f"  return {run} >= {_SERIES} || {wish} >= {mine} ? {wish} : {mine};\n",
            )
        )
        return f"int {self._legal} ({wish})\nint {wish};\n{{\n{clamp}{keep}}}\n"

    def _throw_function(self) -> str:
        mine, yours, run = (self._names[each] for each in ("mine", "yours", "run"))
        wish = next(self._words)
        return (
            f"int {self._throw} ({wish})\nint {wish};\n{{\n  {wish} = {self._legal} ({wish});\n"
            f"  {run} = {wish} < {mine} ? 1 : {run} + 1;\n  {mine} = {wish};\n"
            f"  return {yours} = make_throw ({mine});\n}}\n"
        )


# --- fields ------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class PlantedField:
    """Programs by name, in no telling order, and what was planted among them.

    `rewritten`: pairs of the same tree by two authors; `tuned`: the second has another constant, too;
    `simple`: two that throw the same number for ever, by chance.
    """

    programs: dict[str, str]
    rewritten: frozenset[frozenset[str]]
    tuned: frozenset[frozenset[str]]
    simple: frozenset[str]

    @property
    def clones(self) -> frozenset[frozenset[str]]:
        return self.rewritten | self.tuned


def _chance(name: str) -> random.Random:
    return random.Random(name)  # noqa: S311 - tests want the same programs every time


def honest_program(number: int) -> str:
    """One of any number of programs that have nothing to do with each other."""
    return Author(_chance(f"author/{number}")).program(_tree(_chance(f"tree/{number}")))


def planted_field(seed: int, honest: Sequence[str], size: int = 200) -> PlantedField:
    """A field of `size` programs. `honest`: at least as many honest programs, of which each field takes some.

    What is planted is new in every field; its originals are among the honest ones.
    """
    chance = _chance(f"field/{seed}")
    groups: list[list[str]] = []  # each of them programs that belong together

    trees = [_tree(chance) for _ in range(CLONES_PER_FIELD)]
    for number, tree in enumerate(trees):
        copy = _tuned(tree) if number >= CLONES_PER_FIELD - TUNED_PER_FIELD else tree
        groups.append([Author(chance).program(tree), Author(chance).program(copy)])
    groups.append([Author(chance).program(_SIMPLE), Author(chance).program(_SIMPLE)])
    planted = sum(map(len, groups))
    groups += [[source] for source in chance.sample(honest, size - planted)]
    names = chance.sample([f"team_{number:03}" for number in range(1, size + 1)], size)
    named = [[(names.pop(), source) for source in group] for group in groups]
    together = [frozenset(name for name, _ in group) for group in named]
    return PlantedField(
        programs=dict(sorted(pair for group in named for pair in group)),
        rewritten=frozenset(together[: CLONES_PER_FIELD - TUNED_PER_FIELD]),
        tuned=frozenset(together[CLONES_PER_FIELD - TUNED_PER_FIELD : CLONES_PER_FIELD]),
        simple=together[CLONES_PER_FIELD],
    )


_SIMPLE = Tree((), (Set("wish", Number(6_143)),), ())


def _tuned(tree: Tree) -> Tree:
    """The same program but for a constant of its first wish."""
    first = tree.before[0]
    other = Draw("wish", first.low + 1, first.high) if isinstance(first, Draw) else first
    if isinstance(first, Set):
        other = Set("wish", _with_another_number(first.value))
    return replace(tree, before=(other, *tree.before[1:]))


def _with_another_number(expression: Expression) -> Expression:
    match expression:
        case Number(value):
            return Number(value + 1)
        case Binary(operator, left, right):
            return Binary(operator, left, _with_another_number(right))
        case Variable():
            return expression
