import pytest

from assistant.llm.facts.efforts import EFFORTS, other_effort


@pytest.mark.parametrize(
    ("wanted", "refused", "other"),
    [
        ("medium", set(), "medium"),
        ("medium", {"medium"}, "high"),
        ("minimal", {"minimal"}, "low"),
        ("minimal", set(EFFORTS) - {"none", "high"}, "high"),
        ("max", {"max"}, "xhigh"),
        ("of tomorrow", {"of tomorrow"}, "medium"),
        ("low", set(EFFORTS) - {"none"}, "none"),
        ("low", set(EFFORTS), ""),
    ],
)
def test_the_nearest_effort_that_is_not_refused_is_taken_and_none_last(
    wanted: str, refused: set[str], other: str
) -> None:
    assert other_effort(wanted, refused) == other
