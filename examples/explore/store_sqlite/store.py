#!/usr/bin/env python3
"""What an agent spends, in SQLite: single entries, and the sum of each session.

store.py init DIR                   makes the store, with one entry
store.py spend DIR SESSION TOKENS   enters what was spent
store.py check DIR                  fails when an entry is lost or a sum is wrong
"""

import sqlite3
import sys
from contextlib import closing
from pathlib import Path


def connect(directory: str) -> closing[sqlite3.Connection]:
    """The store, to be closed again."""
    return closing(sqlite3.connect(Path(directory, "store.db"), timeout=10))


def init(directory: str) -> None:
    """Makes the tables and a first entry."""
    Path(directory).mkdir(exist_ok=True)
    with connect(directory) as store, store:
        store.execute("CREATE TABLE entry (session TEXT, tokens INTEGER)")
        store.execute("CREATE TABLE total (session TEXT PRIMARY KEY, tokens INTEGER)")
    spend(directory, "first", "100")


def spend(directory: str, session: str, tokens: str) -> None:
    """An entry and its sum, both or neither."""
    with connect(directory) as store, store:
        store.execute("INSERT INTO entry VALUES (?, ?)", (session, int(tokens)))
        store.execute(
            "INSERT INTO total VALUES (?, ?) ON CONFLICT (session) DO UPDATE SET tokens = tokens + excluded.tokens",
            (session, int(tokens)),
        )


def check(directory: str) -> None:
    """Compares entries and sums."""
    try:
        with connect(directory) as store:
            whole = store.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            summed = dict(store.execute("SELECT session, SUM(tokens) FROM entry GROUP BY session"))
            totals = dict(store.execute("SELECT session, tokens FROM total"))
    except sqlite3.DatabaseError as error:
        sys.exit(f"The store is damaged: {error}.")
    if not whole:
        sys.exit("The store is damaged.")
    if totals.get("first", 0) < 100:
        sys.exit("The first entry is lost.")
    if summed != totals:
        sys.exit("A sum differs from its entries.")


if __name__ == "__main__":
    {"init": init, "spend": spend, "check": check}[sys.argv[1]](*sys.argv[2:])
