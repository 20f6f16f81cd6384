final_strategy = 4
