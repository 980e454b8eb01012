import pytest

from assistant.agent.workspaces.agent_file import AgentFile, new_file, parse_agent, with_values
from assistant.core.errors import SettingsError
from assistant.core.permissions import Category, Verdict
from assistant.host.settings_file import settings_trouble
from assistant.host.texts import load_texts


def test_an_agent_may_use_safe_tools_only_unless_its_file_says_more() -> None:
    careful = parse_agent("").permissions(())
    assert careful.verdict("look", Category.SAFE) is Verdict.RUN
    assert careful.verdict("write", Category.SENSITIVE) is Verdict.REFUSE
    bold = parse_agent('permitted = ["safe", "restricted"]').permissions({"shell"})
    assert bold.verdict("shell", Category.RESTRICTED) is Verdict.ASK
    assert parse_agent("", default=True).permissions(()).verdict("write", Category.SENSITIVE) is Verdict.ASK


def test_tools_are_all_those_of_the_categories_or_the_named_ones() -> None:
    assert parse_agent("").tool_names is None
    assert parse_agent("tools = []").tool_names == frozenset()
    assert parse_agent('tools = ["look"]').tool_names == frozenset({"look"})


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ('model = "m"\npermitted = [\n  "safe",\n  "everything",\n]', 4, "choice"),
        ('\nplacement = "middle"', 2, "choice"),
        ("# one\n\nmodle = 'm'", 3, "unknown"),
        ("voice = 3", 1, "not_str"),
        ("voice = \nmodel = 'm'", 1, "toml"),
    ],
)
def test_an_error_names_the_line_and_the_remedy(text: str, line: int, problem: str) -> None:
    with pytest.raises(SettingsError) as caught:
        parse_agent(text)
    assert (caught.value.line, caught.value.problem) == (line, problem)
    for language in ("ko", "en"):
        assert all(settings_trouble(caught.value, load_texts(language)))


def test_a_new_file_shows_every_entry_and_sets_the_given_ones() -> None:
    text = new_file({"display_name": '큰 "코치"\x7f', "permitted": ("safe", "sensitive")})
    assert parse_agent(text) == AgentFile(display_name='큰 "코치"\x7f', permitted=("safe", "sensitive"))
    assert "# wake_phrase = " in text


def test_a_changed_entry_leaves_comments_and_other_lines() -> None:
    text = '# mine\npermitted = [\n  "safe", # for now\n]\nmodel = "a" # best\n'
    changed = with_values(text, {"permitted": ("sensitive",), "voice": "v"})
    assert changed == '# mine\npermitted = ["sensitive"]\nmodel = "a" # best\nvoice = "v"\n'
