def get_move(number):
    return str(number + 1)
