"""Changes of a contest, each in one transaction with its mails: by the organizer, and after our
failures."""
