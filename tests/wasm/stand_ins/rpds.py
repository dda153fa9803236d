"""What `referencing` and `jsonschema` use of rpds, in Python.

In a browser, Pyodide brings rpds itself; its copy is not on the package index, where tests get
theirs. Nothing of agentlab depends on which of the two it is.
"""

from collections.abc import Hashable, Iterable
from typing import Any


class HashTrieMap(dict[Hashable, Any]):
    @classmethod
    def convert(cls, value: Any) -> "HashTrieMap":
        return value if isinstance(value, cls) else cls(value)

    def insert(self, key: Hashable, value: Any) -> "HashTrieMap":
        return HashTrieMap({**self, key: value})

    def remove(self, key: Hashable) -> "HashTrieMap":
        rest = HashTrieMap(self)
        del rest[key]
        return rest

    def update(self, *others: Any, **named: Any) -> "HashTrieMap":  # type: ignore[override]
        joined = HashTrieMap(self)
        dict.update(joined, *others, **named)
        return joined


class HashTrieSet(frozenset[Any]):
    def insert(self, value: Hashable) -> "HashTrieSet":
        return HashTrieSet(self | {value})

    def update(self, *others: Iterable[Any]) -> "HashTrieSet":
        return HashTrieSet(self.union(*others))


class List(tuple[Any, ...]):
    def push_front(self, value: Any) -> "List":
        return List((value, *self))
