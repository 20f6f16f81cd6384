"""Makes results checkable: the format of archives, what `verify` checks, the page on which readers
check a contest, and the programs with which teams and witnesses check the ledger."""
