"""What a client of the engine may do. The engine checks it; a door only passes on what its caller was granted."""

from dataclasses import dataclass

from assistant.core.permissions import Category
from assistant.core.service.request import Right


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What the requests and the turns of a client may do.

    Attributes:
        rights: the rights of its requests. The engine refuses others with ``ErrorCode.PERMISSION``.
        categories: categories of the tools that its turns may use, within those of the agent. The gate of the tools
            checks it. Without ``Category.SENSITIVE`` the turn asks nobody whether a tool may run.
        referred: categories of tools that do not run for its turns: the gate keeps their calls, and the user at this
            computer decides about them.
        by_user: whether the user writes what its turns are asked, although they may use safe tools only.
        holder: the name of the token that grants it, by which its turns are found; empty without a token.
    """

    rights: frozenset[Right] = frozenset(Right)
    categories: frozenset[Category] = frozenset(Category)
    referred: frozenset[Category] = frozenset()
    by_user: bool = False
    holder: str = ""

    def allows(self, right: Right) -> bool:
        """Whether a request that needs this right is carried out."""
        return right in self.rights


UNATTENDED = Grant(rights=frozenset(), categories=frozenset({Category.SAFE}))
"""Sori itself, which carries out a scheduled request while nobody may be there."""
TELEGRAM = Grant(
    rights=frozenset({Right.USE}),
    categories=frozenset({Category.SAFE}),
    referred=frozenset({Category.SENSITIVE}),
    by_user=True,
)
"""A chat of the user's on Telegram. What is forwarded there comes with ``typed`` empty."""
OWNER = Grant()
"""The user at this computer: the window, the terminal, the commands."""
