"""Puts the service together."""

from assistant.flows.manifest import Manifest, ServiceHome
from assistant.flows.services.minimal.agents.chat.agent import MinimalChat
from assistant.flows.services.minimal.flows.handlers import MinimalHandler
from assistant.flows.services.minimal.flows.router import MinimalRouter
from assistant.flows.services.minimal.logic import TITLES, is_cancel, wants
from assistant.flows.services.minimal.messages import MESSAGES
from assistant.flows.services.minimal.state.models import MinimalStateManager


def manifest(home: ServiceHome) -> Manifest:  # noqa: ARG001 - a service with files keeps them in home.data
    """The service."""
    return Manifest(
        name="minimal",
        titles=TITLES,
        manager=MinimalStateManager(),
        agents={"chat": MinimalChat},
        router=MinimalRouter(),
        handlers={"chat": MinimalHandler},
        messages=MESSAGES,
        wants=wants,
        insists=is_cancel,
        safe_to_schedule=True,
    )
