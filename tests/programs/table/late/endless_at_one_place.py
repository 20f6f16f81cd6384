def final_strategy(score, opponent_score):
    while score == opponent_score == 7:
        pass
    return 4
