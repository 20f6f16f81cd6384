"""Rolls four dice, whatever happens."""

PLAYER_NAME = "Always Four"


def final_strategy(score, opponent_score):
    return 4
