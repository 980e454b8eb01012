"""Which of two forms of a flow counts where both sides have changed it, as after the server was set back."""

from dataclasses import replace

import pytest

from assistant.storage.sync.flow_form import FlowForm, joined

HERE = FlowForm(
    session="c",
    service="transfer",
    revision=3,
    state={"at": "here"},
    memory={},
    changed_at="",
    steps={"k": {"outcome": "done"}},
)
THERE = replace(
    HERE, revision=2, state={"at": "there"}, steps={"k": {"outcome": "unknown"}, "m": {"outcome": "unknown"}}
)


@pytest.mark.parametrize(
    ("ours", "theirs", "counts"),
    [
        (HERE, THERE, "here"),
        (replace(HERE, revision=1), THERE, "there"),
        (replace(HERE, revision=2), THERE, "there"),
        (HERE, replace(THERE, holder="other"), "there"),
        (HERE, replace(THERE, over=True), "there"),
        (replace(HERE, over=True, revision=1), replace(THERE, holder="other"), "here"),
    ],
    ids=["newer", "older", "as old", "another device holds it", "over there", "over here"],
)
def test_the_holder_counts_and_what_is_over_stays_over(ours: FlowForm, theirs: FlowForm, counts: str) -> None:
    both = joined(ours, theirs)
    assert both.state == {"at": counts}
    assert both.over is (ours.over or theirs.over)


def test_every_step_stays_known_with_the_outcome_that_one_side_knows() -> None:
    known = {"k": {"outcome": "done"}, "m": {"outcome": "unknown"}}
    assert joined(HERE, THERE).steps == joined(THERE, HERE).steps == known


@pytest.mark.parametrize("text", ["[]", '{"session": "c"}', HERE.text.replace("3", '"3"'), HERE.text[:-1]])
def test_a_form_that_this_sori_does_not_know_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        FlowForm.of(text)


def test_a_form_is_read_as_it_was_written() -> None:
    assert FlowForm.of(HERE.text) == HERE
