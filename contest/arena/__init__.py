"""The rules of what is played outside the contest: tables of practice, the ladder. Pure."""
