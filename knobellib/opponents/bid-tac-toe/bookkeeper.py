#!/usr/bin/env python3
"""bookkeeper - knows what each opponent pays

Keeps for every opponent the bids of the first rounds of its last games. Before a game it makes up
some first bids for every line, asks the book which of them would have done best against those
openings, and opens with that. Later in a game it goes for the line in which it needs the fewest
squares and which the opponent has not yet broken, or breaks one of the opponent's, and keeps
nothing back.
"""

import random
import sys
from collections import defaultdict, deque

LINES = [(0, 4, 8), (2, 4, 6), (0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8)]
MEMORY = 12  # games with an opponent that are remembered


def spread(bankroll, needs):
    """The bankroll, divided in proportion to the needs of some squares; remainders to the first
    ones."""
    bids, total = [0] * 9, sum(needs.values())
    for square, need in needs.items():
        bids[square] = bankroll * need // total
    for square in list(needs)[: bankroll - sum(bids)]:
        bids[square] += 1
    return bids


def won_lines(bids, opening):
    return sum(all(bids[square] > opening[square] for square in line) for line in LINES)


def first_bids(openings):
    """Of many sensible bids, those that win the most lines against the openings in the book, less
    theirs."""
    candidates = []
    for line in LINES:
        prices = {square: 2 + max((o[square] for o in openings), default=0) for square in line}
        candidates.append(spread(100, prices))
        candidates.append(spread(100, dict.fromkeys(line, 1)))
        candidates.append(spread(100, {square: random.randint(20, 50) for square in line}))
    random.shuffle(candidates)
    return max(
        candidates, key=lambda bids: sum(won_lines(bids, o) - won_lines(o, bids) for o in openings)
    )


def later_bids(owner, bankroll):
    free = [square for square in range(9) if owner[square] is None]
    for other in ("them", "us"):  # lines that we can complete, or else those that they can
        lines = [line for line in LINES if all(owner[square] != other for square in line)]
        wanted = [[square for square in line if owner[square] is None] for line in lines]
        wanted = sorted((squares for squares in wanted if squares), key=len)
        if wanted:
            return spread(bankroll, dict.fromkeys(wanted[0], 1))
    return spread(bankroll, dict.fromkeys(free, 1))


def main():
    book = defaultdict(lambda: deque(maxlen=MEMORY))
    opponent, owner, bankroll, bids, first = "", [], 0, [], True
    for line in sys.stdin:
        command, *words = line.split()
        if command == "newgame":
            (opponent,), owner, bankroll, first = words, [None] * 9, 100, True
            bids = first_bids(book[opponent])
        else:
            theirs = [int(word) for word in words]
            if first:
                book[opponent].append(theirs)
            first = False
            for square in range(9):
                if bids[square] != theirs[square]:
                    owner[square] = "us" if bids[square] > theirs[square] else "them"
            bankroll -= sum(bid for bid, other in zip(bids, theirs) if bid > other)
            if command == "gameover":
                continue
            bids = later_bids(owner, bankroll)
        print(*bids, flush=True)


main()
