"""The tokens of programs that call Sori over HTTP, in a file of Sori's folder, which holds only their hashes.

A token has 256 random bits, so SHA-256 is enough to hide it: there is no list of likely tokens that a slow hash would
have to protect (docs/decisions/http-door.md).
"""

import hashlib
import hmac
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from assistant.core.clock import Clock
from assistant.core.errors import ErrorCode, SoriError, StorageError
from assistant.core.permissions import Category
from assistant.core.service.callers import Caller
from assistant.core.service.request import Right
from assistant.storage.atomic import alone_with
from assistant.storage.kept_object import damage_of, read_object, write_object

PREFIX = "sori_"
"""Beginning of every token, by which programs that look for leaked secrets recognise it."""
CODE_S = 300
"""Seconds in which a code can be exchanged for a token."""
LONGEST_NAME = 64
SEEN_S = 60
"""Seconds for which a use of a token is not noted again: each note replaces the file."""
_OWNER_ONLY = 0o600
_BYTES = 32


class TokenFile:
    """Implements ``TokenBook`` with a file that only its owner may read. A damaged file lets nobody in.

    Args:
        path: the file; it may be missing.
        clock: tells the time.
        notes_use: whether the file holds when each token was used.
    """

    def __init__(self, path: Path, clock: Clock, *, notes_use: bool = False) -> None:
        self._path = path
        self._clock = clock
        self._notes_use = notes_use
        self._read: tuple[object, dict[str, Caller]] | None = None

    @property
    def damage(self) -> str:
        """Why the file lets nobody in although it exists; empty if it can be used."""
        return damage_of(self._path)

    def all(self) -> tuple[Caller, ...]:
        """Whom tokens were given to, oldest first; without codes."""
        return tuple(each for each in self._kept().values() if not each.once)

    def add(self, caller: Caller) -> str:
        """Make a token and return it. It cannot be read again.

        Raises:
            SoriError: the name cannot be used, or has a token already.
            StorageError: the file cannot be written.
        """
        if (
            caller.name != caller.name.strip()
            or not 0 < len(caller.name) <= LONGEST_NAME
            or not caller.name.isprintable()
        ):
            raise _refused("token_name", caller.name, f"{caller.name!r} cannot name a token")
        if caller.right is Right.OWN:
            raise ValueError("what only the user may do is not granted to a token")
        secret = PREFIX + secrets.token_urlsafe(_BYTES)

        def added(kept: dict[str, Caller]) -> dict[str, Caller]:
            if not caller.once and any(each.name == caller.name for each in kept.values() if not each.once):
                raise _refused("token_exists", caller.name, f"{caller.name!r} has a token already")
            return {**kept, _hash(secret): replace(caller, added_at=self._now().isoformat())}

        self._change(added)
        return secret

    def add_code(self, caller: Caller) -> str:
        """Make a code that is exchanged for a token once, within ``CODE_S`` seconds.

        Raises:
            SoriError: the name cannot be used.
            StorageError: the file cannot be written.
        """
        until = self._now() + timedelta(seconds=CODE_S)
        return self.add(replace(caller, once=True, until=until.isoformat()))

    def revoke(self, name: str) -> bool:
        """Make a token worthless at once; returns whether there was one.

        Raises:
            StorageError: the file cannot be written.
        """
        if not any(each.name == name for each in self._kept().values()):
            return False
        self._change(lambda kept: {secret: each for secret, each in kept.items() if each.name != name})
        return True

    def grant(self, name: str, *, right: Right, categories: frozenset[Category]) -> bool:
        """Let a token do other things from now on; returns whether there is one of this name.

        Raises:
            StorageError: the file cannot be written.
        """

        def granted(caller: Caller) -> Caller:
            meant = caller.name == name and not caller.once
            return replace(caller, right=right, categories=categories) if meant else caller

        if not any(each.name == name for each in self.all()):
            return False
        self._change(lambda kept: {secret: granted(each) for secret, each in kept.items()})
        return True

    def drop_codes(self) -> None:
        """Make all codes worthless.

        Raises:
            StorageError: the file cannot be written.
        """
        if any(each.once for each in self._kept().values()):
            self._change(lambda kept: {secret: each for secret, each in kept.items() if not each.once})

    def caller_of(self, token: str) -> Caller | None:
        """Whom a token belongs to; see ``TokenBook``."""
        caller = self._find(token, self._kept())
        if caller is None or caller.once:
            return None
        if self._notes_use and self._is_unseen(caller):
            with suppress(StorageError):  # When it was used is no reason to refuse it.
                self._note_use(_hash(token))
        return caller

    def exchange(self, code: str, name: str = "") -> tuple[str, Caller] | None:
        """Exchange a code for a token; see ``TokenBook``."""
        token = PREFIX + secrets.token_urlsafe(_BYTES)
        given: list[Caller] = []

        def exchanged(kept: dict[str, Caller]) -> dict[str, Caller]:
            caller = self._find(code, kept)
            if caller is None or not caller.once:
                return kept
            names = {each.name for each in kept.values() if not each.once}
            free = next(each for each in _numbered(name or caller.name) if each not in names)
            given.append(replace(caller, name=free, once=False, until="", added_at=self._now().isoformat()))
            return {**{hashed: each for hashed, each in kept.items() if hashed != _hash(code)}, _hash(token): given[0]}

        if self._find(code, self._kept()) is not None:  # a wrong code costs no writing
            self._change(exchanged)
        return (token, given[0]) if given else None

    def _now(self) -> datetime:
        return self._clock.now()

    def _is_unseen(self, caller: Caller) -> bool:
        seen = caller.seen_at
        return not seen or abs(self._now() - datetime.fromisoformat(seen)) >= timedelta(seconds=SEEN_S)

    def _note_use(self, hashed: str) -> None:
        def noted(kept: dict[str, Caller]) -> dict[str, Caller]:
            if hashed not in kept:  # It was revoked in this moment.
                return kept
            return {**kept, hashed: replace(kept[hashed], seen_at=self._now().isoformat())}

        self._change(noted)

    def _find(self, secret: str, kept: Mapping[str, Caller]) -> Caller | None:
        """The owner of a secret. Every entry is compared, in constant time."""
        hashed, found = _hash(secret), None
        for each, caller in kept.items():
            if hmac.compare_digest(each, hashed):
                found = caller
        valid = found is not None and (not found.until or self._now() < datetime.fromisoformat(found.until))
        return found if valid else None

    def _kept(self) -> dict[str, Caller]:
        """The entries of the file by their hashes; read again when the file was changed, also by another process."""
        try:
            found = self._path.stat()
        except OSError:
            return {}
        state = (found.st_mtime_ns, found.st_size, found.st_ino)
        if self._read is None or self._read[0] != state:
            entries = read_object(self._path, ", so that nobody is let in over HTTP")
            callers = {each: _caller(entry) for each, entry in entries.items() if each.isascii()}
            self._read = state, {each: caller for each, caller in callers.items() if caller is not None}
        return self._read[1]

    def _change(self, change: Callable[[dict[str, Caller]], dict[str, Caller]]) -> None:
        with alone_with(self._path):
            now = self._now()
            kept = change(self._kept())
            kept = {each: caller for each, caller in kept.items() if not _is_over(caller, now)}
            if self._path.exists():
                self._path.chmod(_OWNER_ONLY)
            write_object(self._path, {each: _entry(caller) for each, caller in kept.items()})


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name} {number}" for number in count(2))


def _is_over(caller: Caller, now: datetime) -> bool:
    return bool(caller.until) and now >= datetime.fromisoformat(caller.until)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _entry(caller: Caller) -> dict[str, Any]:
    return {
        "name": caller.name,
        "right": caller.right.value,
        "categories": sorted(caller.categories),
        "added_at": caller.added_at,
        **({"once": True, "until": caller.until} if caller.once else {}),
        **({"by_user": True} if caller.by_user else {}),
        **({"seen_at": caller.seen_at} if caller.seen_at else {}),
    }


def _caller(entry: Any) -> Caller | None:
    """The caller of an entry; ``None`` for an entry that somebody wrote in another form."""
    try:
        caller = Caller(
            name=str(entry["name"]),
            right=Right(entry["right"]),
            categories=frozenset(map(Category, entry["categories"])),
            added_at=str(entry["added_at"]),
            once=entry.get("once") is True,
            until=str(entry.get("until", "")),
            by_user=entry.get("by_user") is True,
            seen_at=str(entry.get("seen_at", "")),
        )
        times = [datetime.fromisoformat(each) for each in (caller.until, caller.seen_at) if each]
        if any(each.utcoffset() is None for each in times):
            return None
    except (KeyError, TypeError, ValueError, AttributeError):
        return None
    return None if caller.right is Right.OWN else caller


def _refused(reason: str, name: str, detail: str) -> SoriError:
    return SoriError(ErrorCode.INVALID_REQUEST, detail, message_key=reason, values={"name": name})
