def one(n):
    return other(n) + 1


def other(n):
    return one(n) + 1


def get_move(n):
    return one(n)
