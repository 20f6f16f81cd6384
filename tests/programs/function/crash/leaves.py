import sys


def get_move(number):
    sys.exit(number + 1)
