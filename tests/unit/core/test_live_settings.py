from dataclasses import replace

from assistant.core.live_settings import LiveSettings
from assistant.core.settings import ModelFacts, Provider, Settings
from assistant.core.texts import LiveTexts, Texts

MINE = Provider(name="mine", kind="openai")
FOUND = Provider(name="ollama", kind="local")
FACTS = ModelFacts(model="qwen3", provider="ollama")


def test_what_was_found_here_stands_behind_what_the_user_has_written() -> None:
    live = LiveSettings(Settings(providers=(MINE,)))
    live.find([FOUND], [FACTS])
    assert live.current == Settings(providers=(MINE, FOUND), models=(FACTS,))
    assert live.written == Settings(providers=(MINE,))


def test_what_was_found_here_survives_a_change_of_the_users() -> None:
    live = LiveSettings(Settings())
    live.find([FOUND], [])
    live.change(Settings(language="en"))
    assert live.current == Settings(language="en", providers=(FOUND,))


def test_subscribers_are_told_of_every_change_and_of_nothing_else() -> None:
    live = LiveSettings(Settings(language="ko"))
    told: list[Settings] = []
    end = live.subscribe(told.append)
    live.change(replace(live.written, language="en"))
    live.change(replace(live.written, language="en"))
    end()
    end()
    live.change(replace(live.written, language="ko"))
    assert told == [Settings(language="en")]


def test_words_follow_the_language_of_the_settings() -> None:
    live = LiveSettings(Settings(language="ko"))
    texts = LiveTexts(
        lambda: live.current.language,
        {"ko": Texts("ko", {"hello": "안녕, {name}"}), "en": Texts("en", {"hello": "Hi, {name}"})},
    )
    assert (texts.language, texts("hello", name="소리")) == ("ko", "안녕, 소리")
    live.change(Settings(language="en"))
    assert (texts.language, texts("hello", name="Sori")) == ("en", "Hi, Sori")
    assert "hello" in texts
    assert texts.keys == {"hello"}
