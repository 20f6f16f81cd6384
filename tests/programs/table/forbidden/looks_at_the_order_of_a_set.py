ORDER = list({"roll", "hold", "piggy", "pile", "trot", "goal", "score"})


def final_strategy(score, opponent_score):
    return ORDER.index("roll")
