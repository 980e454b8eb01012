"""What is kept of the user's phones: their sign-ins, and the certificate of the page for them."""

import asyncio
from pathlib import Path

from assistant.core.service.requests.kept import KeptData, KeptKind
from assistant.engine.domains.phone.phones import Phones
from assistant.host.places import Places


class PhoneShelf:
    """Implements ``Shelf``.

    Args:
        phones: signs them out.
        places: the user's files.
    """

    kind = KeptKind.PHONES

    def __init__(self, phones: Phones, places: Places) -> None:
        self._phones, self._places = phones, places

    async def look(self) -> KeptData:
        """Count the phones and the certificate, and the bytes of their files."""

        def work() -> tuple[int, int]:
            certificates = int(self._places.phone_certificate.is_file())
            return len(self._phones.tokens.all()) + certificates, sum(each.stat().st_size for each in self._files())

        count, size = await asyncio.to_thread(work)
        return KeptData(kind=self.kind, count=count, size=size, place=str(self._places.phones))

    async def clear(self) -> None:
        """Sign all phones out, and remove the files, with damaged ones that were set aside."""
        await self._phones.erase_all(await asyncio.to_thread(self._files))

    def _files(self) -> list[Path]:
        kept = self._places.phones, self._places.phone_certificate
        aside = self._places.home.glob(f"{self._places.phones.name}.damaged*")
        return [each for each in (*kept, *aside) if each.is_file()]
