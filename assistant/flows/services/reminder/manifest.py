"""Puts the service together."""

from functools import partial

from assistant.flows.manifest import Manifest, ServiceHome
from assistant.flows.services.reminder.agents.slot_filler.agent import ReminderSlotFiller
from assistant.flows.services.reminder.flows.handlers import SET_ALARM, ReminderHandler
from assistant.flows.services.reminder.flows.router import reminder_router
from assistant.flows.services.reminder.logic import is_cancel, is_confirm, wants
from assistant.flows.services.reminder.messages import MESSAGES
from assistant.flows.services.reminder.reading import read
from assistant.flows.services.reminder.state.models import ReminderSlots, ReminderStateManager


def manifest(home: ServiceHome) -> Manifest:
    """The service. It sets reminders by the tool of Sori that sets alarms."""

    def insists(text: str) -> bool:
        known = read(text, ReminderSlots(), "when", home.clock.now(), home.clock.moment)
        return is_confirm(text) or is_cancel(text) or known is not None

    return Manifest(
        name="reminder",
        titles={"ko": "알림 만들기", "en": "reminder"},
        manager=ReminderStateManager(),
        agents={"slot_filler": partial(ReminderSlotFiller, zone=home.clock.moment)},
        router=reminder_router(),
        handlers={"reminder": ReminderHandler},
        messages=MESSAGES,
        wants=wants,
        insists=insists,
        uses=(SET_ALARM,),
    )
