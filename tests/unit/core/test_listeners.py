from assistant.core.listeners import Listeners


def test_listeners_are_told_in_order_until_they_end() -> None:
    listeners, told = Listeners[[int], int](), list[int]()

    def first(number: int) -> int:
        told.append(number)
        return number

    assert not listeners
    end = listeners.add(first)
    listeners.add(lambda number: -number)
    assert listeners.tell(1) == (1, -1)
    end()
    end()
    assert listeners.tell(2) == (-2,)
    assert told == [1]


def test_a_listener_may_end_while_it_is_told() -> None:
    listeners, told = Listeners[[], None](), list[str]()

    def once() -> None:
        told.append("once")
        end()

    end = listeners.add(once)
    listeners.add(lambda: told.append("always"))
    listeners.tell()
    listeners.tell()
    assert told == ["once", "always", "always"]
