"""Without a contest and without mail: build programs, play, practise; and the files of the kits
alone."""
