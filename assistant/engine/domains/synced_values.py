"""The sorts of values that devices of an account share, for the engine and for commands without one."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.core.configuration.catalogue import Value
from assistant.engine.domains.sync.shared_requests import SharedRequests
from assistant.engine.domains.sync.shared_settings import SharedSettings
from assistant.engine.domains.telegram.shared_chats import SharedChats
from assistant.engine.domains.telegram.shared_code import SharedCode
from assistant.engine.domains.telegram.shared_updates import SharedUpdates
from assistant.engine.domains.telegram.shared_words import SharedWords
from assistant.host.settings_file import written_settings
from assistant.storage.records.telegram import TelegramRecords
from assistant.storage.sync.flow_offers import FlowOffers
from assistant.sync.flow_claims import AccountFlows
from assistant.sync.shared_flows import SharedFlows
from assistant.sync.values import ValueSource

if TYPE_CHECKING:
    from assistant.engine.domains.sync.shared_projects import SharedProjects


def synced_values(
    *,
    config: Path,
    take_settings: Callable[[Mapping[str, Value]], Awaitable[None]],
    telegram: TelegramRecords,
    requests: SharedRequests,
    offers: FlowOffers,
    flows: AccountFlows,
    projects: "SharedProjects | None",
) -> tuple[ValueSource, ...]:
    """All sorts.

    Args:
        config: the settings file.
        take_settings: changes settings as another device has.
        telegram: what is kept of Telegram.
        requests: the scheduled requests.
        offers: the guided flows that were offered.
        flows: claims them.
        projects: the projects; ``None`` where they wait for the engine, because they stand in another database.
    """
    return (
        SharedSettings(partial(written_settings, config), take_settings),
        *(() if projects is None else (projects,)),
        SharedChats(telegram),
        SharedCode(telegram),
        SharedUpdates(telegram),
        SharedWords(telegram),
        requests,
        SharedFlows(offers, lambda: flows.device),
    )
