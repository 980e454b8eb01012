"""``sori phone``: switches the page for phones, signs phones in by a QR code, lists them and signs them out."""

import argparse
import sys
from datetime import datetime
from typing import TYPE_CHECKING

from assistant.app.cli.asking import CarryOut, attached
from assistant.core.display.escaping import printable
from assistant.core.display.reading import local_time
from assistant.core.display.table import fitting
from assistant.core.service.requests.phone import phones as rq
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.host.places import Places
from assistant.host.settings_file import write_default
from assistant.host.tokens import CODE_S

if TYPE_CHECKING:
    from assistant.engine.serving.hub import Hub
    from assistant.engine.serving.table import Domain

_COLUMNS = ("name", "can", "added", "seen")


def run(places: Places, settings: Settings, texts: Texts, arguments: argparse.Namespace) -> int:
    """Carry out the command; returns the exit status: 1 where the page cannot be opened, or there is no such phone.

    Raises:
        SoriError: the settings or the file of the phones cannot be used.
        RefusedError: the page is not open.
    """

    def part(hub: "Hub") -> "Domain":
        from assistant.app.parts.phones import phones

        return phones(places, settings, texts, hub.deliver)

    if arguments.action in ("on", "off"):
        write_default(places.config, texts)
    return attached(places, texts, part, lambda ask: _run(ask, texts, arguments))


async def _run(ask: CarryOut, texts: Texts, arguments: argparse.Namespace) -> int:
    match arguments.action:
        case "on" | "off":
            view = await ask(rq.SwitchPhones(on=arguments.action == "on"))
            print(texts(f"phone.switched_{arguments.action}"))
            print(view.words)
            return 1 if view.standing.state is rq.PhoneState.REFUSED else 0
        case "code":
            _show_code(await ask(rq.MakePhoneCode()), texts)
            return 0
        case "allow":
            granted = rq.GrantPhone(name=arguments.name, sensitive=arguments.tools, manage=arguments.changes)
            can = _can(texts, sensitive=granted.sensitive, manage=granted.manage)
            return _tell(await ask(granted), texts("phone.allowed", name=granted.name, can=can), texts, granted.name)
        case "revoke":
            name = arguments.name
            return _tell(await ask(rq.RevokePhone(name=name)), texts("phone.revoked", name=name), texts, name)
        case _:
            _show(await ask(rq.ReadPhones()), texts)
            return 0


def _tell(known: bool, words: str, texts: Texts, name: str) -> int:
    if not known:
        print(texts("phone.unknown", name=printable(name, one_line=True)), file=sys.stderr)
        return 1
    print(printable(words, one_line=True))
    return 0


def _show_code(given: rq.GivenPhoneCode, texts: Texts) -> None:
    from assistant.app.cli.qr_lines import qr_lines

    until = datetime.fromisoformat(given.until)
    print(texts("phone.scan", minutes=str(CODE_S // 60), until=f"{until:%H:%M}"))
    print("\n".join(qr_lines(given.link)))
    print(texts("phone.or_link", link=given.link))
    print(f"\n{texts('phone.fingerprint')}")
    half = len(given.fingerprint) // 2
    print(f"  {given.fingerprint[: half + 1]}\n  {given.fingerprint[half + 1 :]}")
    print(f"\n{texts('phone.warning')}")


def _show(view: rq.PhonesView, texts: Texts) -> None:
    print(view.words)
    if view.standing.fingerprint:
        print(texts("phone.fingerprint_line", fingerprint=view.standing.fingerprint))
    if not view.phones:
        print(texts("phone.none"))
        return
    heads = [texts(f"phone.column.{each}") for each in _COLUMNS]
    rows = [
        [
            printable(each.name, one_line=True),
            _can(texts, sensitive=each.sensitive, manage=each.manage),
            local_time(each.added_at),
            local_time(each.seen_at) if each.seen_at else texts("phone.never_seen"),
        ]
        for each in view.phones
    ]
    for line in fitting([heads, *rows]):
        print(line)


def _can(texts: Texts, *, sensitive: bool, manage: bool) -> str:
    names = ["safe", *(["sensitive"] if sensitive else []), *(["manage"] if manage else [])]
    return ", ".join(texts(f"phone.{each}") for each in names)
