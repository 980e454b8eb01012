"""The guided flows that the devices of the account may claim, as values that are synced."""

from collections.abc import Callable, Mapping

from assistant.storage.sync.flow_form import FlowForm, joined
from assistant.storage.sync.flow_offers import SORT, FlowOffers, ThisDevice
from assistant.storage.sync.flow_taking import NoRoomError
from assistant.sync.comparing import UnfitError
from assistant.sync.values import ValueSource


class SharedFlows(ValueSource):
    """Implements ``ValueSource``. A value is named by the id of its flow.

    Args:
        offers: keeps the flows.
        device: tells how the account knows this device.
    """

    sort = SORT
    shown = False

    def __init__(self, offers: FlowOffers, device: Callable[[], ThisDevice]) -> None:
        self._offers, self._device = offers, device

    async def all(self) -> Mapping[str, str]:
        """The flows as JSON, those that are over as well."""
        return {flow: form.text for flow, form in (await self._offers.all(self._device())).items()}

    async def put(self, name: str, text: str, *, before: str) -> bool:
        """Take over a flow.

        Raises:
            UnfitError: it has a form that this Sori does not know, or its conversation has no room for it yet.
        """
        try:
            return await self._offers.take(name, _form(text), _form(before), self._device())
        except (ValueError, NoRoomError) as error:
            raise UnfitError(name) from error

    def stays(self, ours: str, theirs: str, *, first: bool) -> str:  # noqa: ARG002
        """See ``joined``. A flow goes with its conversation.

        Raises:
            UnfitError: theirs has a form that this Sori does not know.
        """
        here, there = _form(ours), _form(theirs)
        return "" if here is None or there is None else joined(here, there).text


def _form(text: str) -> FlowForm | None:
    try:
        return FlowForm.of(text) if text else None
    except ValueError as error:
        raise UnfitError(text) from error
