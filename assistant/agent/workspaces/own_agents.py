"""Which agents have words of the user's own (X-08).

The words of an agent come from files that anybody may have written: a folder that was copied, or a tool that writes
files. So Sori keeps a hash of the words that the user gave it or has approved. Other words count as content from
outside. An edit in an editor changes the hash, and is approved with ``sori agents approve``.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

from assistant.core.records.agents import AgentId
from assistant.storage.atomic import alone_with
from assistant.storage.kept_object import read_object, write_object


class OwnAgents:
    """Keeps the hashes in a file of Sori's folder. A damaged file approves nothing.

    Args:
        path: the file; it may be missing.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def holds(self, agent: AgentId, *words: str) -> bool:
        """Whether the user gave or approved exactly these words of an agent. Nobody has to approve no words."""
        return not "".join(words).strip() or self._read().get(str(agent)) == _hash(words)

    def keep(self, agent: AgentId, *words: str) -> None:
        """Remember that the user gave or approved these words.

        Raises:
            StorageError: it cannot be kept.
        """
        with alone_with(self._path):
            write_object(self._path, {**self._read(), str(agent): _hash(words)})

    def _read(self) -> dict[str, Any]:
        return read_object(self._path, ", so that every agent counts as somebody else's")


def _hash(words: tuple[str, ...]) -> str:
    return hashlib.sha256(json.dumps([each.strip() for each in words]).encode()).hexdigest()
