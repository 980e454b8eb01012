"""``sori sync``: joins and leaves the account of several devices, and shows how it stands (S-01 … S-05)."""

import argparse
import getpass
import sys
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from urllib.parse import quote

from assistant.app.cli.asking import CarryOut, attached
from assistant.app.cli.keyring_check import check_keyring
from assistant.app.cli.qr_lines import qr_lines
from assistant.app.commands.sync.settling import LOOK_S, Settling
from assistant.core.display.reading import local_time
from assistant.core.display.table import fitting
from assistant.core.records.sync import SyncStanding
from assistant.core.service.requests.sync import account as rq
from assistant.core.service.requests.sync import keys as kq
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.host.places import Places

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from assistant.engine.serving.hub import Hub
    from assistant.engine.serving.table import Domain

R = TypeVar("R")
_Wanted = rq.SetUpSync | kq.JoinByCode | kq.RotateKeys | kq.ChangeServerPassword | rq.UpgradeSyncServer | None
_ENDED = frozenset({SyncStanding.REVOKED, SyncStanding.OUTDATED, SyncStanding.UNOPENED, SyncStanding.NO_KEYS})
"""What does not go on by itself."""
_IN_ACCOUNT = frozenset({"rotate", "upgrade"})
"""Nobody is asked for a secret for these where the server would refuse this device all the same."""
_COLUMNS = ("id", "name", "state", "seen")
_SHOWN_ID = 8
"""Digits of a device's id that are shown, and suffice to name it."""


class _Within(Protocol):
    """Does work of the command while the engine is connected."""

    def __call__(self, work: Callable[[CarryOut], Coroutine[Any, Any, R]]) -> R: ...


def run(places: Places, settings: Settings, texts: Texts, arguments: argparse.Namespace) -> int:
    """Carry out the command; returns the exit status: 1 where something named is not there.

    Raises:
        SoriError: the database or the settings cannot be used, or the passphrase is too short.
        RefusedError: the server cannot be reached, or the passphrase is another one.
    """
    settling = Settling(texts)

    def part(hub: "Hub") -> "AbstractAsyncContextManager[Domain]":
        from assistant.app.parts.sync import sync

        settling.alone = True
        return sync(places, settings, texts, hub.deliver)

    def within(work: Callable[[CarryOut], Coroutine[Any, Any, R]]) -> R:
        return attached(places, texts, part, work, settling.take)

    if arguments.action == "revoke":
        return _revoke(within, texts, arguments.which)
    if arguments.action in _IN_ACCOUNT:
        within(_devices)
    if arguments.action == "setup" and not arguments.in_file:
        check_keyring(places, texts, part, "sync_no_keyring")
    # Read while no engine is connected: a person may take a while.
    wanted: _Wanted = None
    if arguments.action == "setup":
        wanted = _by_code(arguments, texts) if arguments.code else _wanted(arguments, texts)
    elif arguments.action == "upgrade":
        wanted = _owner(arguments, texts)
    elif arguments.action == "password":
        wanted = kq.ChangeServerPassword(password=_typed(texts, "sync.ask_server_password"))
    elif arguments.action == "rotate":
        wanted = _new_key(texts, "sync.ask_new_key")
    else:
        return within(lambda ask: _run(ask, texts, arguments, None, settling))
    return 1 if wanted is None else within(lambda ask: _run(ask, texts, arguments, wanted, settling))


async def _run(ask: CarryOut, texts: Texts, arguments: argparse.Namespace, wanted: _Wanted, settling: Settling) -> int:
    match arguments.action:
        case "setup" if isinstance(wanted, rq.SetUpSync | kq.JoinByCode):
            return await _join(ask, texts, wanted, settling)
        case "upgrade" if isinstance(wanted, rq.UpgradeSyncServer):
            await ask(wanted)
            print(texts("sync.upgraded"))
            return 0
        case "password" if isinstance(wanted, kq.ChangeServerPassword):
            await ask(wanted)
            print(texts("sync.password_changed"))
            _tell_state(await settling.settled(ask, limit_s=LOOK_S), texts, alone=settling.alone)
            return 0
        case "invite":
            return await _invite(ask, texts)
        case "rotate" if isinstance(wanted, kq.RotateKeys):
            await ask(wanted)
            print(texts("sync.rotated"))
            return 0
        case "leave":
            gone = await ask(rq.LeaveSync())
            print(texts("sync.left" if gone else "sync.not_in"))
            return 0 if gone else 1
        case "pause" | "resume":
            paused = arguments.action == "pause"
            await ask(rq.PauseSync(paused=paused))
            print(texts("sync.paused" if paused else "sync.resumed"))
            return 0
        case "differences":
            return await _differences(ask, texts, arguments.put_away)
        case _:
            view = await settling.settled(ask, limit_s=LOOK_S)
            only = arguments.action == "devices"
            everyone = only and arguments.all
            return _show(view, texts, devices_only=only, everyone=everyone, alone=settling.alone)


def _wanted(arguments: argparse.Namespace, texts: Texts) -> rq.SetUpSync | None:
    """What to set up; ``None``, after saying so, where the passphrase was not typed twice alike.

    The passphrase comes from the terminal without echo, or is the first line of standard input.
    """
    address = arguments.address or (input(texts("sync.ask_address")).strip() if sys.stdin.isatty() else "")
    passphrase = _passphrase(texts, "sync.ask_passphrase")
    if passphrase is None:
        return None
    return rq.SetUpSync(
        address=address,
        passphrase=passphrase,
        device=arguments.device or "",
        new=arguments.new,
        in_file=arguments.in_file,
    )


def _owner(arguments: argparse.Namespace, texts: Texts) -> rq.UpgradeSyncServer:
    """Whose login is used once. Its password is no argument: other users of the computer can see those."""
    address = arguments.address or (input(texts("sync.ask_owner")).strip() if sys.stdin.isatty() else "")
    name, _, place = address.removeprefix("postgresql://").rpartition("@")
    if name and ":" not in name:
        asked = _typed(texts, "sync.ask_password")
        address = f"postgresql://{name}:{quote(asked, safe='')}@{place}" if asked else address
    return rq.UpgradeSyncServer(address=address)


def _by_code(arguments: argparse.Namespace, texts: Texts) -> kq.JoinByCode:
    """Join by a code, which is no argument: other users of the computer can see those."""
    code = _typed(texts, "sync.ask_code")
    return kq.JoinByCode(code=code, device=arguments.device or "", in_file=arguments.in_file)


def _typed(texts: Texts, question: str) -> str:
    """What was typed at the terminal without echo, or the first line of standard input."""
    return getpass.getpass(texts(question)) if sys.stdin.isatty() else sys.stdin.readline().strip()


def _passphrase(texts: Texts, question: str, *, optional: bool = False) -> str | None:
    """The first line of standard input, or what was typed twice alike; ``None``, after saying so, where it was not.

    Raises:
        SoriError: it is too short; an empty one is not, where it is optional.
    """
    from assistant.engine.domains.sync.joining import check_passphrase

    typed = sys.stdin.isatty()
    passphrase = _typed(texts, question)
    if passphrase or not optional:
        check_passphrase(passphrase)
    if typed and passphrase and getpass.getpass(texts("sync.ask_again")) != passphrase:
        print(texts("sync.not_the_same"), file=sys.stderr)
        return None
    return passphrase


def _new_key(texts: Texts, question: str, *, optional: bool = False) -> kq.RotateKeys | None:
    phrase = _passphrase(texts, question, optional=optional)
    return None if phrase is None else kq.RotateKeys(passphrase=phrase)


async def _join(ask: CarryOut, texts: Texts, wanted: rq.SetUpSync | kq.JoinByCode, settling: Settling) -> int:
    """Join, and wait until all is exchanged."""
    view = await ask(wanted)
    here = next((each.name for each in view.devices if each.here), wanted.device)
    print(texts("sync.joined", device=here))
    if isinstance(wanted, rq.SetUpSync):
        print(texts("sync.keep_phrase"))
        print(texts("sync.next"))
    if view.note:
        print(view.note)
    _tell_state(await settling.settled(ask), texts, alone=settling.alone)
    return 0


async def _invite(ask: CarryOut, texts: Texts) -> int:
    """Print the code. A camera cannot read a file or a pipe, so these get the text only."""
    invited = await ask(kq.InviteDevice())
    if sys.stdout.isatty():
        print("\n".join(qr_lines(invited.code)))
    print(invited.code)
    if invited.note:
        print(invited.note, file=sys.stderr)
    print(texts("sync.invited", until=local_time(invited.until)), file=sys.stderr)
    return 0


async def _devices(ask: CarryOut) -> tuple[rq.ShownDevice, ...]:
    return await ask(rq.ListSyncDevices())


def _revoke(within: _Within, texts: Texts, which: str) -> int:
    devices = [each for each in within(_devices) if not each.left]
    found = [each for each in devices if which == each.name or (len(which) >= _SHOWN_ID and each.id.startswith(which))]
    found = [each for each in found if not each.revoked] or found
    if len(found) != 1:
        print(texts("sync.several_devices" if found else "sync.no_such_device", name=which), file=sys.stderr)
        return 1
    rotation = None
    if sys.stdin.isatty() and (rotation := _new_key(texts, "sync.ask_after_revoke", optional=True)) is None:
        return 1
    passphrase = "" if rotation is None else rotation.passphrase
    return within(lambda ask: _shut_out(ask, texts, found[0], passphrase))


async def _shut_out(ask: CarryOut, texts: Texts, device: rq.ShownDevice, passphrase: str) -> int:
    await ask(rq.RevokeSyncDevice(device=device.id, passphrase=passphrase))
    print(texts("sync.revoked", name=device.name))
    print(texts("sync.rotated" if passphrase else "sync.to_rotate"))
    return 0


async def _differences(ask: CarryOut, texts: Texts, put_away: int | None) -> int:
    if put_away is not None:
        gone = await ask(rq.PutAwayDifference(difference=put_away))
        print(texts("sync.put_away" if gone else "sync.no_such_difference", number=str(put_away)))
        return 0 if gone else 1
    differences = (await ask(rq.ReadSync())).differences
    if not differences:
        print(texts("sync.no_differences"))
    for each in differences:
        print(f"{each.id}  {local_time(each.at)}  {texts(f'sync.what.{each.what}')}  {each.name}")
        for side, form in (("ours", each.ours), ("theirs", each.theirs)):
            print(f"  {texts(f'sync.{side}')}:")
            print("\n".join(f"    {line}" for line in form.splitlines()))
    return 0


def _show(view: rq.SyncView, texts: Texts, *, devices_only: bool, everyone: bool, alone: bool) -> int:
    if not view.server:
        print(texts("sync.not_in"))
        return 0
    if not (devices_only and view.devices):
        _tell_state(view, texts, alone=alone)
        print(texts("sync.server", server=view.server))
        if view.differences:
            print(texts("sync.differences", count=str(len(view.differences))))
    if view.devices:
        shown = [each for each in view.devices if everyone or not each.former]
        heads = [texts(f"sync.column.{each}") for each in _COLUMNS]
        rows = [[each.id[:_SHOWN_ID], each.name, _state(each, texts), local_time(each.seen_at)] for each in shown]
        for line in fitting([heads, *rows]):
            print(line)
        if devices_only and len(shown) < len(view.devices):
            print(texts("sync.former", count=str(len(view.devices) - len(shown))))
    return 0


def _tell_state(view: rq.SyncView, texts: Texts, *, alone: bool) -> None:
    """How the syncing stands, why, and when it goes on."""
    print(view.words)
    if view.state.reason:
        print(f"  {view.state.reason}")
    if view.advice:
        print(view.advice)
    if alone and view.state.standing not in _ENDED:
        print(texts("sync.while_running"))


def _state(device: rq.ShownDevice, texts: Texts) -> str:
    former = "gone" if device.left else "shut_out"
    state = "here" if device.here else former if device.revoked else "online" if device.online else "offline"
    return ", ".join([texts(f"sync.{state}"), *(texts(f"sync.leads.{work}") for work in device.leads)])
