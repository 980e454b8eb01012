"""The form in which an offered flow travels between devices, and which of two forms counts. Pure."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from assistant.core.records.flows import StepStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowForm:
    """A flow as the account has it.

    Attributes:
        session: id of the conversation.
        service: name of the service.
        revision: counts the changes of the flow's owner.
        holder: id of the device that goes on with it; empty while every device may claim it.
        holder_name: the name of that device.
        began: name of the device where it began; empty until it leaves that one.
        over: whether nothing is left to do. Then it never begins again.
        idle: whether the holder has told since its last message that it does nothing, so that all its steps are known.
        kept: whether the holder has taken it along as it left the account, so that nobody else ever goes on with it.
        state: the state of the service.
        memory: what the service remembers of the conversation.
        changed_at: when it was saved last, as stored.
        steps: the execution steps that have begun, by key: the columns of ``flow_steps`` beside the conversation.
    """

    session: str
    service: str
    revision: int
    holder: str = ""
    holder_name: str = ""
    began: str = ""
    over: bool = False
    idle: bool = False
    kept: bool = False
    state: Mapping[str, Any]
    memory: Mapping[str, Any]
    changed_at: str
    steps: Mapping[str, Mapping[str, str]]

    @property
    def text(self) -> str:
        """As JSON, always the same for the same content."""
        return json.dumps(asdict(self), ensure_ascii=False, sort_keys=True)

    def begun_on(self, device: str) -> "FlowForm":
        """The same, with the name of the device where it began, if that is not known yet."""
        return self if self.began else replace(self, began=device)

    @classmethod
    def of(cls, text: str) -> "FlowForm":
        """The form that a text describes.

        Raises:
            ValueError: it is none that this Sori knows.
        """
        try:
            form = cls(**json.loads(text))
            whole = all(isinstance(each, dict) for each in (form.state, form.memory, form.steps))
            marks = all(isinstance(each, bool) for each in (form.over, form.idle, form.kept))
            if not (whole and marks and isinstance(form.revision, int)):
                raise ValueError("a part is of another kind")
        except TypeError as error:
            raise ValueError(str(error)) from error
        return form


def joined(ours: FlowForm, theirs: FlowForm) -> FlowForm:
    """What counts where both sides have changed a flow, as after the server was set back to an older state.

    The account decides who goes on. So theirs counts, unless nobody holds it there and ours is newer. What is over
    stays over, and every step that has begun on either side stays known.
    """
    if ours.over is not theirs.over:
        counts = ours if ours.over else theirs
    else:
        counts = ours if not theirs.holder and ours.revision > theirs.revision else theirs
    return replace(counts, steps=all_steps(ours.steps, theirs.steps))


def all_steps(
    first: Mapping[str, Mapping[str, str]], second: Mapping[str, Mapping[str, str]]
) -> dict[str, Mapping[str, str]]:
    """The steps of two forms. Where only one of them knows how a step ended, it has ended."""
    both = {**first, **second}
    return {
        key: first[key] if key in first and step["outcome"] == StepStatus.UNKNOWN else step
        for key, step in both.items()
    }
