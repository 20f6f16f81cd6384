"""Ten dice: one turn in six brings 40 points, the others bring one."""

PLAYER_NAME = "All or Nothing"


def final_strategy(score, opponent_score):
    return 10
