import time


def get_move(number):
    time.sleep(86400)
