"""ALL SQL: tables, session, one module per aggregate, migrate.

Every function takes a transaction of `Store.write` or `Store.read` first and speaks in the words of
`contest.model`. What belongs together is done in one transaction by the caller.
"""

from contest.store.session import Store, Transaction, url_of

__all__ = ["Store", "Transaction", "url_of"]
