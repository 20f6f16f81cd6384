"""The ledger: every letter that had an effect, as the leaves of a Merkle tree that only grows.

The root of the tree stands for all leaves. Whoever has a signed root, a receipt, can show later
that the ledger was changed behind it, and two people can compare what they were told.
"""
