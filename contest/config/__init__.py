"""The settings of a contest: contest.toml as typed values."""
