"""The sections of contest.toml, field by field, and the languages that programs may have."""
