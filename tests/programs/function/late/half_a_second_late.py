import time


def get_move(number):
    time.sleep(0.9)
    return number + 1
