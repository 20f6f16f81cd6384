"""What letters are made of: an outgoing mail, the form, the <<FROM>> line, files that somebody
sent. Pure."""
