"""Compares named texts with what the account has, and takes over what comes. Files and values go the same way."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

from assistant.core.clock import Clock
from assistant.core.errors import StorageError
from assistant.storage.database import Database
from assistant.storage.sync.text_bases import TextBase, TextBases, TextKind

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextChange:
    """A text that differs from what the account has.

    Attributes:
        name: its name, unique among its kind.
        text: its content; empty for one that is gone.
        based_on: number of the account's form.
    """

    name: str
    text: str
    based_on: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """A text here, after it has met another form of it.

    Attributes:
        before: what was here; empty for nothing.
        after: what is here now.
        contested: whether both sides had changed it, so that something of one of them is not in ``after``.
        folder: the folder of the text that one side had removed while the other had changed something in it.
        files: the texts of that folder that are here now, as the user is shown them.
    """

    before: str
    after: str
    contested: bool = False
    folder: str = ""
    files: str = ""


class UnfitError(Exception):
    """This Sori cannot take over a text now. It is kept aside and tried again."""


class TextPlace(Protocol):
    """Where texts of one kind are on this device. Every method raises ``StorageError``."""

    async def here(self, bases: Mapping[str, TextBase]) -> Mapping[str, str]:
        """The texts that are here, by name; empty for one that is gone. One that cannot be seen is left out.

        Args:
            bases: what the account has, by name.
        """
        ...

    async def meet(self, name: str, bases: Mapping[str, TextBase], theirs: str) -> Met:
        """Bring a text and another form of it together.

        Args:
            name: its name.
            bases: what texts here and there have come from, by name. One that is missing meets for the first time.
            theirs: the other form; empty for one that is gone.

        Raises:
            UnfitError: it cannot be taken over now; nothing has changed.
            NewerSoriError: it can never be.
        """
        ...


class TextComparison:
    """Compares the texts of one kind.

    Every method raises ``StorageError`` when a text or the database cannot be read or written.

    Args:
        kind: the kind of the texts.
        place: where they are.
        database: keeps what the account has.
        clock: tells when a difference was noticed.
    """

    def __init__(self, kind: TextKind, place: TextPlace, database: Database, clock: Clock) -> None:
        self.kind = kind
        self._place = place
        self._bases, self._held = TextBases(database, clock, kind), TextBases(database, clock, TextKind.HELD)

    async def waiting(self) -> list[TextChange]:
        """The texts that wait to leave."""
        bases, held = await self._bases.all(), await self._held_ones()
        found = []
        # A folder's own texts first: whoever takes their removal learns that the folder as a whole was removed.
        for name, text in sorted((await self._place.here(bases)).items(), key=lambda each: (each[0].count("/"), each)):
            base = bases.get(name, TextBase())
            if text != base.text:
                number = max(base.number, held.get(name, base).number)
                found.append(TextChange(name=name, text=text, based_on=number))
        return found

    async def give_way(self) -> list[tuple[str, Met]]:
        """Let texts that the account never had meet that, on a device that joins; the names of those it has met.

        Raises:
            StorageError: also where this device cannot give one up now. It may be called again.
        """
        bases, found = await self._bases.all(), []
        for change in await self.waiting():
            if change.name not in bases and change.based_on == 0:
                try:
                    met = await self._place.meet(change.name, bases, "")
                except UnfitError as error:  # Kept aside, it would be sent to the account.
                    raise StorageError(change.name, str(error.__cause__ or error), cause=error) from error
                if met.contested:
                    await self._bases.differ(change.name, met.before, "")
                found.append((change.name, met))
        return found

    async def base(self, name: str) -> TextBase:
        """What the account has of a text, as far as it is known here."""
        return (await self._bases.all()).get(name, TextBase())

    async def leaving(self, change: TextChange) -> None:
        """Note that a change is about to be sent. If the answer is lost, it is not taken for another device's."""
        if change.based_on == 0:
            await self._bases.keep(change.name, TextBase())

    async def left(self, change: TextChange, number: int, *, alone: bool) -> None:
        """Note that the account has a change.

        Args:
            change: the change.
            number: its number.
            alone: whether nobody else had changed anything meanwhile. If somebody had, a removal may not count.
        """
        last = "" if change.text or alone else (await self.base(change.name)).last_text
        await self._keep(change.name, TextBase(number=number, text=change.text, last=last))

    async def take(self, name: str, text: str, number: int) -> Met | None:
        """Take over a text; ``None`` if it is kept aside.

        Args:
            name: its name.
            text: its content; empty for one that is gone elsewhere.
            number: its number.

        Raises:
            NewerSoriError: it can never be taken over here.
        """
        bases = await self._bases.all()
        try:
            met = await self._place.meet(name, bases, text)
        except UnfitError:
            await self._held.keep(self._held_name(name), TextBase(number=number, text=text))
            return None
        if met.folder:
            ours, theirs = ("", met.files) if text else (met.files, "")
            met = replace(met, contested=await self._bases.differ_in_removal(met.folder, ours, theirs))
        elif met.contested:
            await self._bases.differ(name, met.before, text)
        # The text is written first. If Sori ends in between, the same comes again and changes nothing.
        last = bases[name].last_text if met.after and not text and name in bases else ""
        await self._keep(name, TextBase(number=number, text=text, last=last))
        return met

    async def take_held(self) -> list[tuple[str, Met]]:
        """Try again what was kept aside, as after an update of Sori; the names of those that were taken over."""
        found = []
        for name, base in (await self._held_ones()).items():
            if (met := await self.take(name, base.text, base.number)) is not None:
                found.append((name, met))
        return found

    async def _keep(self, name: str, base: TextBase) -> None:
        await self._bases.keep(name, base)
        await self._held.drop(self._held_name(name))

    async def _held_ones(self) -> dict[str, TextBase]:
        head = self._held_name("")
        return {
            name.removeprefix(head): base for name, base in (await self._held.all()).items() if name.startswith(head)
        }

    def _held_name(self, name: str) -> str:
        return f"{self.kind}:{name}"


def uncontested(base: T, ours: T, theirs: T) -> T | None:
    """What counts where only one side has changed something; ``None`` if both have."""
    if ours in (base, theirs):
        return theirs
    return ours if theirs == base else None
