"""Keeps the settings in use equal to ``config.toml``, whoever changes it: the user's editor, a tool, a client."""

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from assistant.core import updates as up
from assistant.core.clock import Clock
from assistant.core.configuration.catalogue import (
    Setting,
    Value,
    changed_names,
    single_settings,
    value_of,
    with_value,
)
from assistant.core.configuration.values import json_value, typed_value
from assistant.core.errors import SettingsError, SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.setting_declaration import Acts
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.engine.settings.followers import Apply, Follower
from assistant.host.settings_edit import change_settings
from assistant.host.settings_file import settings_trouble
from assistant.tasks import TaskSupervisor, first_of

LOOK_EVERY_S = 1.0
"""Seconds between looks at the file. A look asks the system for its time, size and number."""
SETTLE_S = 0.3
"""Seconds for which a changed file must stay the same before it is read: editors write it in several steps."""
APPLIED_WITHIN_S = 1.0
"""Seconds for which whoever changes a setting waits for the parts that follow it."""
ABOUT = "settings file"

log = logging.getLogger(__name__)

_Stamp = tuple[int, ...] | None
"""Times of change in ns, size and number of a file; ``None`` without a file."""
_NOT_SEEN: _Stamp = ()


class SettingsKeeper:
    """Follows and changes the settings file. Use it on the engine's loop.

    Args:
        config: the settings file.
        live: the settings in use. Options of a command that differ from the file stay until the file changes there.
            What has changed in the file since they were read is followed at the first look.
        texts: the user's words.
        publish: takes ``SettingsChanged`` and notices.
        clock: waits.
        read: the settings of the file, completed for this machine; called on another thread.

    Attributes:
        config: the settings file.
        fault: the error in it; the settings before stay in force.
    """

    def __init__(
        self,
        config: Path,
        live: LiveSettings,
        texts: Texts,
        publish: up.Publish,
        *,
        clock: Clock,
        read: Callable[[Path], Settings],
    ) -> None:
        self.config, self._live, self._texts, self._publish = config, live, texts, publish
        self._clock, self._read = clock, read
        self._started = live.written
        self._file = live.in_file
        """The last valid content of the file; ``None`` before the first look if it is not known."""
        self._seen: _Stamp = _NOT_SEEN
        self._lock = asyncio.Lock()
        self._tasks = TaskSupervisor()
        self._followers: list[Follower] = []
        self.fault: SettingsError | None = None

    def follow(self, names: Collection[str], apply: Apply, before: Mapping[str, Any] | None = None) -> None:
        """Have a part apply each change of these settings.

        Args:
            names: the settings.
            apply: applies them.
            before: the values with which the part was made; what differs from them is applied at once.
        """
        follower = Follower(names, apply, self._tasks, self._not_applied)
        self._followers.append(follower)
        written = self._live.written
        if changed := {name: value for name, value in (before or {}).items() if value != value_of(written, name)}:
            follower.follow(changed, written)

    async def run(self) -> None:
        """Follow the file until cancelled."""
        while True:
            try:
                await self._follow_changes()
            except Exception:
                # The next look may succeed; the settings in use stay.
                log.exception("the settings file cannot be followed")
            await self._clock.sleep(LOOK_EVERY_S)

    async def _follow_changes(self) -> None:
        """Read the file if it has changed and is no longer being written."""
        await self._look_first()
        stamp = await asyncio.to_thread(_stamp, self.config)
        while stamp != self._seen:
            await self._clock.sleep(SETTLE_S)
            before, stamp = stamp, await asyncio.to_thread(_stamp, self.config)
            if before == stamp:
                await self.look()
                return

    async def close(self) -> None:
        """End the work of all followers."""
        await self._tasks.close()

    async def settled(self) -> None:
        """Wait until every follower has applied the newest change, or has failed to."""
        await self._tasks.settle()

    async def look(self) -> None:
        """Read the file now and follow it."""
        await self._look_first()
        async with self._lock:
            stamp = await asyncio.to_thread(_stamp, self.config)
            gone = stamp is None and bool(self._seen)
            self._seen = stamp
            try:
                settings = await asyncio.to_thread(self._read, self.config)
            except SettingsError as error:
                self._show_fault(error)
                return
            self._clear_fault()
            if gone:
                self._post("notice.settings_gone", up.Severity.WARNING)
            self._follow(settings)

    async def change(self, name: str, words: Sequence[str] | None) -> None:
        """Change a setting in the file, and wait a moment for the parts that follow it.

        Args:
            name: one of ``single_settings``.
            words: the typed value; ``None`` for the default.

        Raises:
            SettingsError: the value is not possible, or the file is invalid; it stays as it is.
            StorageError: the file cannot be written.
        """
        setting = single_settings()[name]
        await self.set(name, None if words is None else typed_value(setting, words))

    async def set(self, name: str, value: Value) -> None:
        """Like ``change``, with a value instead of words."""
        await self.edit(lambda config: change_settings(config, {name: value}))
        await self.applied(name)

    async def applied(self, name: str) -> None:
        """Wait a moment for the parts that apply a change of a setting."""
        waits = [each for each in self._followers if name in each.names]
        if waits:
            await first_of(self._clock.sleep(APPLIED_WITHIN_S), _all_settled(waits))

    async def edit(self, write: Callable[[Path], object]) -> None:
        """Change the file and follow it.

        Args:
            write: changes the file at this path; called on another thread.
        """
        await self._look_first()
        async with self._lock:
            await asyncio.to_thread(write, self.config)
            self._seen = await asyncio.to_thread(_stamp, self.config)
            settings = await asyncio.to_thread(self._read, self.config)
            self._clear_fault()
            self._follow(settings)

    def written(self, setting: Setting) -> Any:
        """The value in the file."""
        return value_of(self._live.written, setting.name)

    def in_force(self, setting: Setting) -> Any:
        """The value with which Sori works now."""
        if setting.declared.acts is Acts.RESTART:
            return value_of(self._started, setting.name)
        for each in self._followers:
            if setting.name in each.former:
                return each.former[setting.name]
        return self.written(setting)

    def trouble(self, setting: Setting) -> str:
        """Why the written value is not in force, in the user's words; empty if it is, or will be."""
        for each in self._followers:
            if setting.name in each.former and each.trouble is not None:
                return self._texts(each.trouble.message_key, **each.trouble.values)
        return ""

    async def _look_first(self) -> None:
        """Take the file as it is for what the settings in use were read from, if that is not known."""
        async with self._lock:
            if self._file is not None:
                return
            self._seen = await asyncio.to_thread(_stamp, self.config)
            try:
                self._file = await asyncio.to_thread(self._read, self.config)
            except SettingsError as error:
                self._file = self._live.written
                self._show_fault(error)

    def _follow(self, settings: Settings) -> None:
        """Use what has changed in the file."""
        before = self._file or self._live.written
        self._file = settings
        written, former = self._live.written, self._live.written
        for name in changed_names(before, settings):
            written = with_value(written, name, value_of(settings, name))
        names = changed_names(former, written)
        if not names:
            return
        log.info("the settings have changed: %s", ", ".join(names))
        self._live.change(written)
        single = single_settings()
        values = {name: json_value(value_of(written, name)) for name in names if name in single}
        self._publish(up.SettingsChanged(names=names, values=values))
        for each in self._followers:
            if changed := each.names & {*names}:
                each.follow({name: value_of(former, name) for name in changed}, written)

    def _not_applied(self, names: tuple[str, ...], error: SoriError) -> None:
        log.warning("%s stay as they were: %s", ", ".join(names), error)
        titles = ", ".join(self._texts(single_settings()[name].title_key) for name in names)
        values = {"settings": titles, "reason": self._texts(error.message_key, **error.values)}
        self._publish(up.NoticePosted(key="notice.setting_not_applied", severity=up.Severity.WARNING, values=values))

    def _show_fault(self, error: SettingsError) -> None:
        if self.fault is not None and str(self.fault) == str(error):
            return
        self.fault = error
        log.warning("%s is not followed: %s", self.config, error)
        problem, remedy = settings_trouble(error, self._texts)
        where = f"{self.config}:{error.line}" if error.line else str(self.config)
        self._post("notice.settings_fault", up.Severity.WARNING, where=where, problem=problem, remedy=remedy)

    def _clear_fault(self) -> None:
        if self.fault is not None:
            self.fault = None
            self._post("notice.settings_mended", up.Severity.INFO)

    def _post(self, key: str, severity: up.Severity, **values: str) -> None:
        values = {"path": str(self.config), **values}
        self._publish(up.NoticePosted(key=key, severity=severity, values=values, about=ABOUT))


async def _all_settled(followers: Sequence[Follower]) -> None:
    for each in followers:
        await each.settled()


def _stamp(path: Path) -> _Stamp:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
