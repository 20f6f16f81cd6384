def get_move(number):
    return number + 1.0
