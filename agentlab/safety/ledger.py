"""What was done already, so that a call which is carried out again does nothing twice."""

import json
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agentlab import tools
from agentlab.language import gettext


class Ledger:
    """Results of side effects, each under the key it was done for.

    The id of the tool_use block is such a key: when a run is taken up again after a crash, its
    last call is carried out again under the same id. A model that asks once more gets a new id,
    so what must happen once per order needs the order number for a key instead.

    Ids of the real API are unique; the practice API counts anew in each conversation, and each
    conversation needs a ledger of its own there.

    Args:
        path: an SQLite file, which outlives the process; without one it is kept in memory.
    """

    def __init__(self, path: str | Path = ":memory:") -> None:
        self._lock = threading.Lock()
        self._database = sqlite3.connect(path, check_same_thread=False)
        with self._database:
            self._database.execute(
                "CREATE TABLE IF NOT EXISTS effects (key TEXT PRIMARY KEY, result TEXT)"
            )

    def once(self, key: str, effect: Callable[[], Any]) -> Any:
        """Do `effect` and return what it gives; for a key done before, return what it gave then.

        The key is written down before the effect and the result after it. An effect that raises
        counts as not done, and its key is free again.

        Args:
            key: what the effect must happen once for, such as a `CallId`.
            effect: what to do; gives something that JSON can hold.

        Raises:
            ToolError: for a key whose effect was begun and never reported back: nobody knows
                whether it happened, and doing it again could do it twice.
        """
        if not key:
            raise ValueError(
                gettext("The key is empty, so every effect would be the same one. Give an id.")
            )
        with self._lock:
            row = self._database.execute(
                "SELECT result FROM effects WHERE key = ?", (key,)
            ).fetchone()
            if row is None:
                return self._done(key, effect)
        if row[0] is None:
            raise tools.ToolError(
                f"An earlier attempt at {key!r} was cut off, and it may have been done. Look "
                "whether it was before doing it again, or ask a person."
            )
        return json.loads(row[0])

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def _done(self, key: str, effect: Callable[[], Any]) -> Any:
        with self._database:
            self._database.execute("INSERT INTO effects (key) VALUES (?)", (key,))
        try:
            result = effect()
        except Exception:
            with self._database:
                self._database.execute("DELETE FROM effects WHERE key = ?", (key,))
            raise
        written = json.dumps(result, ensure_ascii=False)
        with self._database:
            self._database.execute("UPDATE effects SET result = ? WHERE key = ?", (written, key))
        return result
