from assistant.tools.catalogue.enabled import MOST, PAUSE_S, TURNS, Enabled, EnabledTools


def turns(enabled: Enabled, count: int, every_s: float = 10.0) -> None:
    for number in range(count):
        enabled.begin_turn(number * every_s)


def test_additions_stand_at_the_end_and_nothing_is_named_twice() -> None:
    enabled = Enabled()
    enabled.add(["b", "a", "b"])
    enabled.add(["c", "a"])
    assert enabled.names == ("b", "a", "c")


def test_an_expired_tool_leaves_only_when_the_list_changes_anyway() -> None:
    enabled = Enabled()
    enabled.add(["old"])
    turns(enabled, TURNS + 1)
    assert "old" in enabled.names
    enabled.add(["new"])
    assert enabled.names == ("new",)


def test_a_tool_stays_for_its_turns_and_a_used_one_longer() -> None:
    enabled = Enabled()
    enabled.add(["one", "two"])
    turns(enabled, TURNS)
    enabled.add(["two"])
    enabled.begin_turn(60.0)
    enabled.add(["new"])
    assert enabled.names == ("two", "new")


def test_after_a_pause_an_expired_tool_leaves() -> None:
    enabled = Enabled()
    enabled.add(["old"])
    turns(enabled, TURNS + 1, every_s=1.0)
    enabled.begin_turn(TURNS + PAUSE_S - 0.5)
    assert "old" in enabled.names
    enabled.begin_turn(TURNS + 2 * PAUSE_S)
    assert enabled.names == ()


def test_when_there_are_too_many_those_used_longest_ago_leave() -> None:
    enabled = Enabled()
    for number in range(MOST):
        enabled.add([str(number)])
    enabled.begin_turn(0.0)
    enabled.add(["0"])
    enabled.add(["new"])
    assert enabled.names == ("0", *map(str, range(2, MOST)), "new")


def test_the_newest_are_told_in_the_order_of_all() -> None:
    enabled = Enabled()
    enabled.add(["a", "b", "c"])
    enabled.begin_turn(0.0)
    enabled.add(["a", "c"])
    assert enabled.newest(2) == ("a", "c")


def test_each_conversation_has_its_own_and_those_used_long_ago_are_forgotten() -> None:
    tools = EnabledTools()
    tools.of("a").add(["x"])
    assert tools.of("b").names == ()
    assert tools.of("a").names == ("x",)
    for number in range(200):
        tools.of(str(number))
    assert tools.of("a").names == ()
