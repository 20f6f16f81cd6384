def get_move(number):
    return {}[number]
