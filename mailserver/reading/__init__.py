"""Reading letters: from raw bytes to text, programs, files and forms."""
