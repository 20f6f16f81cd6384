import sys


def get_move(number):
    return number + 1 + len(sys.stdin.read())
