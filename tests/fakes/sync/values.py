"""Values in memory that devices share."""

from collections.abc import Mapping

from assistant.sync.comparing import UnfitError
from assistant.sync.values import ValueSource


class MemoryValues(ValueSource):
    """Implements ``ValueSource``.

    Attributes:
        values: by name.
        unfit: values that this device does not know.
        replaced: values that the user writes while the next ones come, one for each try.
    """

    sort = "note"

    def __init__(self, *unfit: str) -> None:
        self.values: dict[str, str] = {}
        self.unfit = set(unfit)
        self.replaced: list[str] = []

    async def all(self) -> Mapping[str, str]:
        return dict(self.values)

    async def put(self, name: str, text: str, *, before: str) -> bool:
        if text in self.unfit:
            raise UnfitError(text)
        if self.replaced:
            self.values[name] = self.replaced.pop()
        if self.values.get(name, "") != before:
            return False
        self.values[name] = text
        if not text:
            del self.values[name]
        return True

    def stays(self, ours: str, theirs: str, *, first: bool) -> str:
        return theirs if first else ours
