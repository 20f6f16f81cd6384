"""The programs of every kit that check the ledger, as a team has them."""

from pathlib import Path

from knobellib.ledger_programs import ledger_programs


def receipts_of_kit(folder: Path) -> Path:
    """Where receipts.py is, written into the folder, with witness.py beside it."""
    for file in ledger_programs():
        (folder / file.name).write_bytes(file.data)
    return folder / "receipts.py"
