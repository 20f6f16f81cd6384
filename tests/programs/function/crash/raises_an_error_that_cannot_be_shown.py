class Odd(Exception):
    def __str__(self):
        raise self


def get_move(number):
    raise Odd
