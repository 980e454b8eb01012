import pytest

from assistant.core.permissions import LOCAL_ASSISTANT, Category, Permissions, Verdict


@pytest.mark.parametrize(
    ("category", "verdict"),
    [(Category.SAFE, Verdict.RUN), (Category.SENSITIVE, Verdict.REFUSE), (Category.RESTRICTED, Verdict.REFUSE)],
)
def test_who_declares_nothing_may_use_what_is_safe(category: Category, verdict: Verdict) -> None:
    assert Permissions().verdict("set_timer", category) is verdict


def test_a_sensitive_tool_is_asked_about_unless_it_is_named() -> None:
    permissions = Permissions(categories=frozenset(Category), unasked={"set_timer"})
    assert permissions.verdict("set_timer", Category.SENSITIVE) is Verdict.RUN
    assert permissions.verdict("read_diary", Category.SENSITIVE) is Verdict.ASK


def test_a_restricted_tool_is_always_asked_about() -> None:
    permissions = Permissions(categories=frozenset(Category), unasked={"shell"})
    assert permissions.verdict("shell", Category.RESTRICTED) is Verdict.ASK


def test_a_name_permits_nothing_outside_the_categories() -> None:
    assert Permissions(unasked={"set_timer"}).verdict("set_timer", Category.SENSITIVE) is Verdict.REFUSE


def test_sori_itself_is_offered_nothing_restricted() -> None:
    assert LOCAL_ASSISTANT.verdict("shell", Category.RESTRICTED) is Verdict.REFUSE
