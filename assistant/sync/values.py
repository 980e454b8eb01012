"""Small named texts that devices share and that are no files: settings, projects, flows.

They lie in tables and files without stamps of their own, so they are compared with what the account has. Each sort of
them has a source.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from assistant.storage.sync.text_bases import TextBase
from assistant.sync.comparing import Met, UnfitError, uncontested


class ValueSource(Protocol):
    """The values of one sort. Every method raises ``StorageError``."""

    @property
    def sort(self) -> str:
        """The sort, a word without a slash."""
        ...

    @property
    def shown(self) -> bool:
        """Whether the user is shown both forms of a value that two devices have changed."""
        return True

    @property
    def gives_way(self) -> bool:
        """Whether a device that joins gives up a value that the account does not have, and so has at its default."""
        return False

    async def all(self) -> Mapping[str, str]:
        """The values that are here, by name. One that is missing is gone, also from other devices."""
        ...

    async def names(self) -> Mapping[str, str]:
        """What the user calls the values to which others refer, by name; empty for most sorts."""
        return {}

    async def put(self, name: str, text: str, *, before: str) -> bool:
        """Take over a value from another device.

        Args:
            name: its name.
            text: the value; empty for one that is gone.
            before: what is replaced; empty for nothing.

        Returns:
            Whether ``before`` was still here; nothing has changed otherwise.

        Raises:
            UnfitError: this Sori does not know the value, or cannot take it now.
        """
        ...

    def merged(self, base: str | None, ours: str, theirs: str) -> str | None:  # noqa: ARG002 - the answer of most sorts
        """What holds all that both have changed; ``None`` if nothing does.

        Args:
            base: what both have come from; ``None`` where they meet for the first time.
            ours: this device's, another one than ``base`` and ``theirs``.
            theirs: the other device's, another one than ``base``.
        """
        return None

    def stays(self, ours: str, theirs: str, *, first: bool) -> str:
        """What counts where both have changed a value.

        Args:
            ours: this device's.
            theirs: the other device's.
            first: whether they meet for the first time, as on a device that joins.
        """
        ...


def removal_stays(ours: str, theirs: str, *, first: bool) -> str:
    """What one device has removed is gone; a device that joins takes what the account has (``ValueSource.stays``)."""
    if first:
        return theirs or ours
    return ours if ours and theirs else ""


class SharedValues:
    """Implements ``TextPlace`` for values; a name begins with the sort and a slash."""

    def __init__(self, sources: Sequence[ValueSource]) -> None:
        self._sources = {each.sort: each for each in sources}

    async def here(self, bases: Mapping[str, TextBase]) -> Mapping[str, str]:
        """The values of the known sorts; see ``TextPlace``."""
        found = {name: "" for name, base in bases.items() if base.text and _parts(name)[0] in self._sources}
        for source in self._sources.values():
            found |= {f"{source.sort}/{name}": text for name, text in (await source.all()).items()}
        return found

    async def meet(self, name: str, bases: Mapping[str, TextBase], theirs: str) -> Met:
        """Take over a value; see ``TextPlace``."""
        base = bases.get(name)
        sort, own = _parts(name)
        if (source := self._sources.get(sort)) is None:
            raise UnfitError(f"values of the sort {sort!r} are unknown")
        while True:
            ours = (await source.all()).get(own, "")
            default = base is None and not theirs and source.gives_way
            after = None if default else uncontested("" if base is None else base.text, ours, theirs)
            if after is None:
                after = source.merged(None if base is None else base.text, ours, theirs)
            contested = after is None
            if after is None:
                after = source.stays(ours, theirs, first=base is None)
            if after == ours or await source.put(own, after, before=ours):
                return Met(before=ours, after=after, contested=contested and source.shown)


def _parts(name: str) -> tuple[str, str]:
    sort, _, own = name.partition("/")
    return sort, own
