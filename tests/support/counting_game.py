"""A small game, to try programs of all protocols."""

from contest.games.game import FaultRule, GameInfo, TextProtocol


class Counting:
    """Each turn the seats to move get a number, and have to answer with the next one.

    A position is (seats, points, faults, turn); in turns without a fault each seat wins a point.
    """

    def __init__(self, turns=3, fault_rule=FaultRule.GAME_LOST, max_seats=3):
        self.turns = turns
        self.info = GameInfo(
            name="counting",
            title="Counting",
            min_seats=1,
            max_seats=max_seats,
            max_turns=turns,
            fault_rule=fault_rule,
            protocols=(TextProtocol.STDIO, TextProtocol.ARGV, TextProtocol.FUNCTION),
        )

    def start(self, seats):
        return (seats, (0,) * seats, 0)

    def players_to_move(self, position):
        seats, _, turn = position
        return frozenset(range(seats)) if turn < self.turns else frozenset()

    def why_illegal(self, position, seat, move):
        asked = 10 * position[2] + seat
        return None if move == asked + 1 else f"{move} does not come after {asked}"

    def apply(self, position, moves):
        seats, points, turn = position
        return (seats, tuple(points[seat] + (seat in moves) for seat in range(seats)), turn + 1)

    def apply_with_faults(self, position, moves, draw):
        seats, points, turn = self.apply(position, moves)
        over = self.info.fault_rule is FaultRule.GAME_LOST
        drawn = draw(100) if self.info.fault_rule is FaultRule.RANDOM_MOVE else 0
        return (seats, (points[0] + drawn, *points[1:]), self.turns if over else turn)

    def carried_out(self, position, moves, draw):
        return moves

    def replacement_move(self, position, seat):
        return position[1][seat] if self.info.fault_rule is FaultRule.RANDOM_MOVE else None

    def points(self, position):
        return position[1]

    def sample_moves(self, position, seat):
        return [10 * position[2] + seat + 1]

    def question(self, position, seat, protocol):
        number = 10 * position[2] + seat
        return ("next", number) if protocol is TextProtocol.STDIO else (number,)

    def game_over_message(self, position, seat):
        return ("gameover",)

    def answer(self, position, seat, text):
        if not text.isdecimal():
            raise ValueError(f"{text[:20]!r} is no whole number")
        return int(text)
