import time


def get_move(number):
    time.sleep(0.5)
    return number + 1
