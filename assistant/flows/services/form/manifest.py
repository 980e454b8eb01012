"""Puts the service together."""

from functools import partial

from assistant.flows.manifest import Manifest, ServiceHome
from assistant.flows.services.form.agents.slot_filler.agent import FormSlotFiller
from assistant.flows.services.form.flows.handlers import FormHandler
from assistant.flows.services.form.flows.router import FormRouter
from assistant.flows.services.form.logic import TITLES, is_cancel, is_confirm, wants
from assistant.flows.services.form.messages import MESSAGES
from assistant.flows.services.form.state.models import FormStateManager
from assistant.flows.services.form.steps import save_tool


def manifest(home: ServiceHome) -> Manifest:
    """The service."""
    return Manifest(
        name="form",
        titles=TITLES,
        manager=FormStateManager(),
        agents={"slot_filler": partial(FormSlotFiller, zone=home.clock.moment)},
        router=FormRouter(),
        handlers={"fill": FormHandler},
        messages=MESSAGES,
        wants=wants,
        insists=lambda text: is_confirm(text) or is_cancel(text),
        steps=(save_tool(home.data),),
    )
