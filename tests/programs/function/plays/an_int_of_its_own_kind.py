import enum

Place = enum.IntEnum("Place", {f"at_{number}": number for number in range(100)})


def get_move(number):
    return Place(number + 1)
