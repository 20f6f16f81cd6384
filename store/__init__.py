"""All SQL: the tables, the session, migrations, and one module of functions per aggregate.

Every function takes a transaction of `Store.write` or `Store.read` first, and returns records of
`contest.model`. The caller puts writes that belong together into one transaction.
"""

from store.session import Store, Transaction, url_of

__all__ = ["Store", "Transaction", "url_of"]
