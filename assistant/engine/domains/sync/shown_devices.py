"""The devices of the account as the user is shown them."""

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from assistant.core.service.requests.sync.account import ShownDevice

if TYPE_CHECKING:
    from assistant.sync.postgres.postgres_store import Membership
    from assistant.sync.store import SyncStore

_FORMER: Final = timedelta(days=30)
"""A device that was shut out is of the past once it was not there for so long."""


async def shown_devices(store: "SyncStore", member: "Membership", now: datetime) -> tuple[ShownDevice, ...]:
    """All devices, those of the past last.

    Args:
        store: the account's server.
        member: this device.
        now: the time.

    Raises:
        StorageError: the server failed.
        RevokedError: this device was shut out.
    """
    from assistant.sync.device_names import DeviceName

    shown, leases = [], await store.leases()
    for each in await store.devices():
        named = DeviceName.opened(member.keys, each.identity, each.name)
        left = named.left and each.revoked
        shown.append(
            ShownDevice(
                id=each.identity.hex(),
                name=named.name,
                seen_at=each.seen_at.astimezone().isoformat(),
                online=each.online and not each.revoked,
                revoked=each.revoked,
                here=each.identity == member.device,
                leads=tuple(lease.work for lease in leases if lease.device == each.identity),
                left=left,
                former=left or (each.revoked and each.seen_at < now - _FORMER),
            )
        )
    return tuple(sorted(shown, key=lambda each: each.former))
