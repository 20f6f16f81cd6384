import random


def final_strategy(score, opponent_score):
    return random.randrange(11)
