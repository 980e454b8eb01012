import unicodedata

import pytest

from assistant.agent.workspaces.names import LONGEST_NAME, InvalidNameError, checked_name, same_name, spoken_form


@pytest.mark.parametrize("name", ["코치", "work", "우리 집", "a.b", "Café", "2호", "console", "가" * LONGEST_NAME])
def test_people_may_name_agents_in_any_language(name: str) -> None:
    assert checked_name(name) == name


def test_the_two_forms_of_a_korean_name_are_one_name() -> None:
    assert checked_name(unicodedata.normalize("NFD", "코치")) == "코치"
    assert same_name("Coach", "coach")
    assert spoken_form("소리 코치!") == spoken_form("소리코치")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "empty"),
        ("  ", "empty"),
        ("가" * (LONGEST_NAME + 1), "long"),
        ("..", "ends"),
        (".removed", "ends"),
        ("name.", "ends"),
        ("name ", "ends"),
        ("../default", "ends"),
        ("a/b", "characters"),
        ("a\\b", "characters"),
        ("C:", "characters"),
        ("a\nb", "characters"),
        ("a\u202eb", "characters"),
        ("a\x00b", "characters"),
        ("\ud800", "characters"),
        ("con", "reserved"),
        ("NUL.txt", "reserved"),
        ("Com1", "reserved"),
        ("lpt²", "reserved"),
    ],
)
def test_a_name_that_some_system_cannot_keep_is_refused(name: str, reason: str) -> None:
    with pytest.raises(InvalidNameError) as caught:
        checked_name(name)
    assert caught.value.reason == f"name_{reason}"
    assert caught.value.values["name"].isprintable()
