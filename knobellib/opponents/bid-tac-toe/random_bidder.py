#!/usr/bin/env python3
"""random_bidder - a coin for every dollar

Goes through the free squares in random order and bids a random part of what is left on each. It
learns nothing and fears nothing; a program that does not beat it most of the time has a mistake.
"""

import random
import sys


def make_bids(free, bankroll):
    bids = [0] * 9
    for square in random.sample(free, len(free)):
        bids[square] = random.randint(0, bankroll)
        bankroll -= bids[square]
    return bids


def main():
    free, bankroll, bids = [], 0, []
    for line in sys.stdin:
        command, *words = line.split()
        if command == "newgame":
            free, bankroll = list(range(9)), 100
        else:
            theirs = [int(word) for word in words]
            bankroll -= sum(bids[square] for square in free if bids[square] > theirs[square])
            free = [square for square in free if bids[square] == theirs[square]]
        if command != "gameover":
            bids = make_bids(free, bankroll)
            print(*bids, flush=True)


main()
