import time


def final_strategy(score, opponent_score):
    time.sleep(86400)
