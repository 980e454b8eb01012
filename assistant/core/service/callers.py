"""Programs and browsers that call Sori with a token, and what the user has granted to each."""

from dataclasses import dataclass
from typing import Protocol

from assistant.core.permissions import DEFAULT_PERMITTED, Category
from assistant.core.service.grant import Grant
from assistant.core.service.request import Right


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Whom a token belongs to.

    Attributes:
        name: the user's name for the program or the browser.
        right: what its requests may do; never ``Right.OWN``.
        categories: categories of the tools that its turns may use. Without ``Category.SENSITIVE`` nobody is asked
            whether a tool may run.
        added_at: when the token was made, ISO 8601 with offset.
        once: whether the secret is no token but a code, which is exchanged for a token once.
        until: time after which the secret is worth nothing, ISO 8601 with offset; empty for ever.
        by_user: whether the user writes what its turns are asked: it is the user's own phone.
        seen_at: when the token was last used, to a minute, ISO 8601 with offset; empty if nobody noted it.
    """

    name: str
    right: Right = Right.USE
    categories: frozenset[Category] = DEFAULT_PERMITTED
    added_at: str = ""
    once: bool = False
    until: str = ""
    by_user: bool = False
    seen_at: str = ""

    @property
    def grant(self) -> Grant:
        """What its requests and turns may do."""
        rights = {Right.USE, Right.MANAGE} if self.right is Right.MANAGE else {Right.USE}
        return Grant(rights=frozenset(rights), categories=self.categories, by_user=self.by_user, holder=self.name)


class TokenBook(Protocol):
    """Knows which token belongs to whom. All methods may wait for the disk for a moment."""

    def caller_of(self, token: str) -> Caller | None:
        """Whom a token belongs to; ``None`` if it is not valid."""
        ...

    def exchange(self, code: str, name: str = "") -> tuple[str, Caller] | None:
        """Exchange a code for a token; ``None`` if the code is not valid, no longer or not any more.

        Args:
            code: the code.
            name: what the token is called; empty for the name of the code.

        Raises:
            StorageError: the token cannot be kept; the code stays valid.
        """
        ...
