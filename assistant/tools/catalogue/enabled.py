"""The tools that are enabled in a conversation, and for how long. Pure.

When the list of tools changes, servers have to read the whole prompt anew (C-08). So a tool whose time is over leaves
the list when the list changes anyway, or after a pause, when servers have forgotten the prompt.
"""

from collections import OrderedDict
from collections.abc import Collection

TURNS = 5
"""How many turns after its last use a tool stays enabled."""
PAUSE_S = 300.0
"""Seconds between two turns after which servers have usually forgotten a prompt."""
MOST = 12
"""Maximum number of enabled tools."""
_CONVERSATIONS = 100


class Enabled:
    """The tools that are enabled in one conversation."""

    def __init__(self) -> None:
        self._turn = 0
        self._began_s: float | None = None
        self._used: dict[str, int] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """Their names, the first enabled first: additions stand at the end."""
        return tuple(self._used)

    def copied(self) -> "Enabled":
        """The same tools, for a turn that may not take place."""
        copy = Enabled()
        copy._turn, copy._began_s, copy._used = self._turn, self._began_s, dict(self._used)
        return copy

    def newest(self, most: int) -> tuple[str, ...]:
        """The names of those that were used last, at most ``most``, in the order of ``names``."""
        kept = sorted(self._used, key=lambda name: self._used[name], reverse=True)[:most]
        return tuple(name for name in self._used if name in kept)

    def begin_turn(self, at_s: float) -> None:
        """Count a turn.

        Args:
            at_s: the time of a clock that never goes back, in seconds.
        """
        if self._began_s is not None and at_s - self._began_s >= PAUSE_S:
            self._drop_expired()
        self._turn += 1
        self._began_s = at_s

    def add(self, names: Collection[str]) -> None:
        """Enable tools, and renew those that are enabled. If there are too many, those used longest ago leave first."""
        new = [name for name in dict.fromkeys(names) if name not in self._used]
        self._used.update({name: self._turn for name in names if name in self._used})
        if not new:
            return
        self._drop_expired()
        self._used.update(dict.fromkeys(new, self._turn))
        while len(self._used) > MOST:
            # ``min`` takes the first of those that were used longest ago.
            del self._used[min(self._used, key=lambda name: self._used[name])]

    def reset(self) -> None:
        """Disable all."""
        self._used.clear()

    def _drop_expired(self) -> None:
        self._used = {name: used for name, used in self._used.items() if self._turn - used <= TURNS}


class EnabledTools:
    """The enabled tools of the conversations that were used last. They are not stored: a restart disables them."""

    def __init__(self) -> None:
        self._of: OrderedDict[str, Enabled] = OrderedDict()

    def of(self, conversation: str) -> Enabled:
        """The enabled tools of a conversation."""
        enabled = self._of.setdefault(conversation, Enabled())
        self._of.move_to_end(conversation)
        while len(self._of) > _CONVERSATIONS:
            self._of.popitem(last=False)
        return enabled

    def put(self, conversation: str, enabled: Enabled) -> None:
        """Replace the enabled tools of a conversation."""
        self._of[conversation] = enabled
