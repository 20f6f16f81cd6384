calls = 0


def final_strategy(score, opponent_score):
    global calls
    calls += 1
    return 5 if calls == 13 else 4
