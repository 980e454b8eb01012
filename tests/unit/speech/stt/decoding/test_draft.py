import numpy as np

from assistant.speech.stt.decoding.draft import Draft, confirmed, old_words

SOUND = np.arange(1600, dtype=np.int16)


def draft(*probabilities: float, tokens: tuple[int, ...] = (10, 1, 20, 30, 2)) -> Draft:
    """Words of the tokens 10 1, 20, and 30 2."""
    return Draft(SOUND, "ko", told=True, tokens=tokens, probabilities=probabilities)


def starts_word(token: int) -> bool:
    return token >= 10


def test_a_draft_belongs_to_a_sound_that_begins_like_it() -> None:
    longer = np.concatenate((SOUND, SOUND))
    assert draft().begins(longer)
    assert draft().begins(SOUND)
    assert not draft().begins(SOUND[:-1])
    assert not draft().begins(longer + np.int16(1))


def test_what_the_longer_sound_makes_improbable_is_written_anew_from_the_beginning_of_the_word() -> None:
    assert confirmed(draft(0.9, 0.9, 0.9, 0.9, 0.9), (0.9, 0.9, 0.2, 0.9, 0.9), starts_word) == 2
    assert confirmed(draft(0.9, 0.9, 0.9, 0.9, 0.9), (0.9, 0.2, 0.9, 0.9, 0.9), starts_word) == 0


def test_the_last_word_is_always_written_anew_because_it_decides_about_the_end() -> None:
    assert confirmed(draft(0.9, 0.9, 0.9, 0.9, 0.9), (0.9, 0.9, 0.9, 0.9, 0.9), starts_word) == 3


def test_an_improbable_word_is_kept_while_it_is_as_probable_as_it_was() -> None:
    assert confirmed(draft(0.9, 0.9, 0.3, 0.9, 0.9), (0.9, 0.9, 0.25, 0.9, 0.9), starts_word) == 3
    assert confirmed(draft(0.9, 0.9, 0.3, 0.9, 0.9), (0.9, 0.9, 0.15, 0.9, 0.9), starts_word) == 2


def test_without_earlier_probabilities_a_word_must_be_the_most_probable_one() -> None:
    assert confirmed(draft(), (0.9, 0.9, 0.6, 0.4, 0.9), starts_word) == 3
    assert confirmed(draft(), (0.9, 0.9, 0.4, 0.9, 0.9), starts_word) == 2


def test_settled_words_stay_whatever_the_sound_says() -> None:
    assert confirmed(draft(0.9, 0.9, 0.9, 0.9, 0.9), (0.0, 0.0, 0.0, 0.0, 0.0), starts_word, settled=3) == 3


def test_the_last_two_words_of_a_draft_are_new() -> None:
    assert old_words(draft(), starts_word) == 2
    assert old_words(draft(), starts_word, settled=3) == 3
    assert old_words(draft(tokens=(10, 1)), starts_word) == 0
