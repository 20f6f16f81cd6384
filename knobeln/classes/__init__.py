"""A class: its list, the forms that invite it, how far everybody is, and the marks."""
