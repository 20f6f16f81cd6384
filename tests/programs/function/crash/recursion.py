def get_move(number):
    return get_move(number)
