"""The domain of the web page on the user's phones: opens it, makes codes, and grants and revokes what phones may do."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Final, Protocol

from assistant.core import updates as up
from assistant.core.clock import Clock
from assistant.core.errors import ErrorCode, SoriError, StorageError
from assistant.core.live_settings import LiveSettings
from assistant.core.permissions import Category
from assistant.core.service.callers import Caller
from assistant.core.service.request import Right
from assistant.core.service.requests.phone import phones as rq
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.engine.doors import PhoneLine
from assistant.engine.serving.table import Domain, serves
from assistant.host.tokens import CODE_S, TokenFile

LOOK_S: Final = 10.0
"""Seconds between two looks at the addresses of this computer, which change with its network."""
_LANE: Final = "phones"
_ABOUT: Final = "phones"
_NAME: Final = "phone"
"""What a phone is called whose browser does not tell."""
_SAFE: Final = frozenset({Category.SAFE})
_STATES: Final = {True: rq.PhoneState.NO_ENGINE, False: rq.PhoneState.OFF}


class TokenTurns(Protocol):
    """Stops the turns of a token, as ``TurnBoard`` does."""

    def stop_held(self, holder: str) -> None:
        """Stop all turns that the holder of a token has begun."""
        ...


@dataclass(slots=True, kw_only=True, eq=False)
class Phones(Domain):
    """Owns the requests for phones.

    Attributes:
        tokens: knows the phones.
        line: the way of phones to the page; ``None`` in a process that has no doors.
        turns: stops what a revoked phone has begun; ``None`` in a process without turns.
        live: the settings.
        switch: switches the page on or off in the settings.
        texts: the user's words.
        publish: takes events.
        clock: tells the time.
    """

    tokens: TokenFile
    line: PhoneLine | None
    turns: TokenTurns | None
    live: LiveSettings
    switch: Callable[[bool], Awaitable[None]]
    texts: Texts
    publish: up.Publish
    clock: Clock
    _standing: rq.PhoneStanding = field(default=rq.PhoneStanding(state=rq.PhoneState.OFF), init=False)
    _trouble: SoriError | None = field(default=None, init=False)
    _standing_up: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    async def follow(self, _: Settings) -> None:
        """Open, move or close the page, as the settings say.

        Raises:
            SoriError: the page cannot be opened.
        """
        await self._stand()
        if self._trouble is not None:
            raise self._trouble

    async def watch(self) -> None:
        """Follow the addresses of this computer and the end of the certificate, until it is cancelled."""
        while True:
            await self.clock.sleep(LOOK_S)
            if self.live.current.phone.enabled:
                await self._stand()

    @serves()
    async def _read(self, _: rq.ReadPhones) -> rq.PhonesView:
        return await self._view()

    @serves(lane=_LANE)
    async def _switch(self, request: rq.SwitchPhones) -> rq.PhonesView:
        """Switch the page on or off.

        Raises:
            SoriError: the settings cannot be changed.
        """
        await self.switch(request.on)
        return await self._view()

    @serves(lane=_LANE)
    async def _make_code(self, _: rq.MakePhoneCode) -> rq.GivenPhoneCode:
        """Make a code.

        Raises:
            SoriError: the page is not open.
            StorageError: the code cannot be kept.
        """
        if not self._standing.addresses:
            raise SoriError(ErrorCode.INVALID_REQUEST, "the page for phones is not open", message_key="phone_not_open")
        address, fingerprint = self._standing.addresses[0], self._standing.fingerprint
        await asyncio.to_thread(self.tokens.drop_codes)
        code = await asyncio.to_thread(self.tokens.add_code, Caller(name=_NAME, categories=_SAFE, by_user=True))
        return rq.GivenPhoneCode(
            link=f"{address}#code={code}&sha256={fingerprint.replace(':', '').lower()}",
            address=address,
            fingerprint=fingerprint,
            until=(self.clock.now() + timedelta(seconds=CODE_S)).isoformat(),
        )

    @serves(lane=_LANE)
    async def _grant(self, request: rq.GrantPhone) -> bool:
        """Change what a phone may do.

        Raises:
            StorageError: it cannot be kept.
        """
        right = Right.MANAGE if request.manage else Right.USE
        categories = frozenset({Category.SAFE, Category.SENSITIVE}) if request.sensitive else _SAFE
        known = await asyncio.to_thread(self.tokens.grant, request.name, right=right, categories=categories)
        self.publish(up.PhonesChanged())
        return known

    @serves(lane=_LANE)
    async def _revoke(self, request: rq.RevokePhone) -> bool:
        """Sign a phone out.

        Raises:
            StorageError: it cannot be kept; the phone stays signed in.
        """
        gone = await self._sign_out(request.name)
        self.publish(up.PhonesChanged())
        return gone

    async def erase_all(self, files: Iterable[Path]) -> None:
        """Sign all phones out, and remove their files. A page that is switched on gets a new certificate at once.

        Args:
            files: those of the tokens and of the certificate.

        Raises:
            StorageError: some of it is still there.
        """
        for each in await asyncio.to_thread(self.tokens.all):
            await self._sign_out(each.name)
        await asyncio.to_thread(_remove, files)
        await self._stand()
        self.publish(up.PhonesChanged())

    async def _sign_out(self, name: str) -> bool:
        gone = await asyncio.to_thread(self.tokens.revoke, name)
        if self.line is not None:
            self.line.cut_off(name)
        if self.turns is not None:
            self.turns.stop_held(name)
        return gone

    async def _view(self) -> rq.PhonesView:
        callers = await asyncio.to_thread(self.tokens.all)
        enabled = self.live.current.phone.enabled
        standing = self._standing if self.line is not None else rq.PhoneStanding(state=_STATES[enabled])
        return rq.PhonesView(standing=standing, words=self._words(standing), phones=tuple(map(_shown, callers)))

    async def _stand(self) -> None:
        """Let the page stand as the settings and the addresses say, and tell what has changed."""
        if self.line is None:
            return
        async with self._standing_up:
            phone = self.live.current.phone
            before, trouble = self._standing, self._trouble
            try:
                port = phone.port if phone.enabled else None
                self._standing, self._trouble = await self.line.stand(port, self._telling()), None
            except SoriError as error:
                self._standing, self._trouble = rq.PhoneStanding(state=rq.PhoneState.REFUSED), error
        if self._standing != before or str(self._trouble) != str(trouble):
            self.publish(up.PhonesChanged())

    def _telling(self) -> Callable[[str], None]:
        """Tells a phone that has signed in, from any thread, so that one that the user did not sign in is noticed."""
        loop = asyncio.get_running_loop()

        def tell(name: str) -> None:
            self.publish(up.PhonesChanged())
            self.publish(up.NoticePosted(key="notice.phone_signed_in", values={"name": name}, about=_ABOUT))

        def signed_in(name: str) -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(tell, name)

        return signed_in

    def _words(self, standing: rq.PhoneStanding) -> str:
        if standing.state is rq.PhoneState.REFUSED and self._trouble is not None:
            return self.texts(self._trouble.message_key, **self._trouble.values)
        return self.texts(f"phone.state.{standing.state}", address=", ".join(standing.addresses))


def _remove(files: Iterable[Path]) -> None:
    for each in files:
        try:
            each.unlink(missing_ok=True)
        except OSError as error:
            raise StorageError(str(each), error.strerror or str(error), cause=error) from error


def _shown(caller: Caller) -> rq.ShownPhone:
    return rq.ShownPhone(
        name=caller.name,
        sensitive=Category.SENSITIVE in caller.categories,
        manage=caller.right is Right.MANAGE,
        added_at=caller.added_at,
        seen_at=caller.seen_at,
    )
