"""Rolls six dice, which bring the most points on average: 8.7."""

PLAYER_NAME = "Always Six"


def final_strategy(score, opponent_score):
    return 6
