"""Who is told when something happens. Listeners come and go; whoever tells knows none of them."""

from collections.abc import Callable
from typing import Generic, ParamSpec, TypeVar

Told = ParamSpec("Told")
Result = TypeVar("Result")


class Listeners(Generic[Told, Result]):
    """The listeners to one kind of event. Use it on one thread."""

    def __init__(self) -> None:
        self._listeners: list[Callable[Told, Result]] = []

    def __bool__(self) -> bool:
        """Whether anybody listens."""
        return bool(self._listeners)

    def add(self, listener: Callable[Told, Result]) -> Callable[[], None]:
        """Tell ``listener`` from now on.

        Returns:
            A function that ends this. It may be called again without effect.
        """
        self._listeners.append(listener)

        def end() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return end

    def tell(self, *args: Told.args, **kwargs: Told.kwargs) -> tuple[Result, ...]:
        """Tell all listeners, in the order in which they came, and return what they gave back."""
        return tuple(listener(*args, **kwargs) for listener in tuple(self._listeners))
