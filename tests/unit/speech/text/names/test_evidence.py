"""The rules of enrolments, case by case."""

import math

import pytest

from assistant.speech.text.names.evidence import (
    Enroller,
    applies,
    doubtful,
    language_of_phrase,
    near_enough,
    undecided,
    unlike,
)
from assistant.speech.text.names.likelihood import CERTAIN, POSSIBLE

USER, SORI = Enroller.USER, Enroller.SORI


@pytest.mark.parametrize(
    ("enroller", "phrase", "read_in", "counts"),
    [
        (USER, "도치야", "ko", True),
        (USER, "도치야", "en", True),
        (USER, "Felix", "ko", True),
        (USER, "Felix", "en", True),
        (SORI, "도치야", "ko", True),
        (SORI, "도치야", "en", False),
        (SORI, "Felix", "ko", False),
        (SORI, "Felix", "en", True),
        (SORI, "hey 도치", "ko", True),
        (SORI, "hey 도치", "en", False),
    ],
)
def test_an_enrolment_counts_in_its_language(enroller: Enroller, phrase: str, read_in: str, counts: bool) -> None:
    assert applies(enroller, phrase, read_in) is counts


@pytest.mark.parametrize(
    ("enroller", "fit", "decides"),
    [
        (USER, CERTAIN, True),
        (USER, POSSIBLE, True),
        (USER, POSSIBLE - 0.1, False),
        (SORI, CERTAIN, True),
        (SORI, POSSIBLE, True),
        (SORI, POSSIBLE - 0.1, False),
    ],
)
def test_the_words_decide_from_their_limit(enroller: Enroller, fit: float, decides: bool) -> None:
    assert undecided(enroller, fit) is decides


@pytest.mark.parametrize(
    ("enroller", "distance", "others", "near"),
    [
        (USER, 0.5, 0.01, True),  # the limit of the enrolment itself decides
        (SORI, 0.14, math.inf, True),
        (SORI, 0.141, math.inf, False),
        (SORI, 0.05, 0.05, True),
        (SORI, 0.05, 0.049, False),
        (SORI, 0.14, 0.2, True),
    ],
)
def test_the_sound_has_to_be_near_and_no_other_name_nearer(
    enroller: Enroller, distance: float, others: float, near: bool
) -> None:
    assert near_enough(enroller, distance, others) is near


@pytest.mark.parametrize(("enroller", "fit", "asked"), [(SORI, -6.1, True), (SORI, -6.0, False), (USER, -20.0, False)])
def test_the_words_are_asked_about_a_name_that_was_found_but_fits_badly(
    enroller: Enroller, fit: float, asked: bool
) -> None:
    assert doubtful(enroller, fit) is asked


@pytest.mark.parametrize(
    ("enroller", "distance", "far"), [(SORI, 0.201, True), (SORI, 0.20, False), (USER, 2.0, False)]
)
def test_a_doubtful_name_is_not_called_from_a_distance(enroller: Enroller, distance: float, far: bool) -> None:
    assert unlike(enroller, distance) is far


@pytest.mark.parametrize(("phrase", "language"), [("도치야", "ko"), ("hey 도치", "ko"), ("Felix", "en"), ("", "en")])
def test_the_script_tells_the_language(phrase: str, language: str) -> None:
    assert language_of_phrase(phrase) == language
