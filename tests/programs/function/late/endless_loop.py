def get_move(number):
    while True:
        pass
