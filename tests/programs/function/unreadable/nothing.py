def get_move(number):
    number + 1
