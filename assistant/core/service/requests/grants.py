"""Requests for what the user has decided about tools for good (X-05)."""

from dataclasses import dataclass

from assistant.core.service.request import Request, Right


@dataclass(frozen=True, slots=True, kw_only=True)
class LastingGrants:
    """What was decided.

    Attributes:
        asks: whether each tool that may run unasked asks all the same, by its name.
        always: the keys of servers and folders that no longer ask, such as ``server:web``.
        here: the keys of what no longer asks in one conversation, such as ``conversation:run_command``.
        off: names of the tools that are switched off.
    """

    asks: dict[str, bool]
    always: tuple[str, ...]
    here: tuple[str, ...] = ()
    off: tuple[str, ...] = ()


class ListGrants(Request[LastingGrants], right=Right.OWN):
    """List what was decided.

    Attributes:
        conversation: the conversation of ``LastingGrants.here``; empty for none.
    """

    conversation: str = ""


class LetToolsAsk(Request[LastingGrants], right=Right.OWN):
    """Let tools ask from now on, or run unasked as usual. The result is all that is decided now.

    Attributes:
        tools: their names.
        asks: whether they ask.
    """

    tools: tuple[str, ...]
    asks: bool


class SwitchTools(Request[LastingGrants], right=Right.OWN):
    """Switch tools off, so that no model is told of them and no call runs, or on again; for every agent.

    Attributes:
        tools: their names.
        on: whether they are on.
    """

    tools: tuple[str, ...]
    on: bool


class ForgetGrants(Request[LastingGrants], right=Right.OWN):
    """Let what has these keys ask again. The result is all that is decided now.

    Attributes:
        keys: the keys.
        conversation: as in ``ListGrants``.
    """

    keys: tuple[str, ...]
    conversation: str = ""
