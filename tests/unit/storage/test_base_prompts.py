import pytest

from assistant.core.errors import SoriError
from assistant.storage.base_prompts import LONGEST_PROMPT, BasePromptStore, own_prompts
from assistant.storage.database import Database
from tests.fakes.clock import FakeClock


@pytest.fixture
def store(database: Database, clock: FakeClock) -> BasePromptStore:
    return BasePromptStore(database, clock)


async def test_each_language_has_a_prompt_of_its_own_until_it_is_reset(store: BasePromptStore) -> None:
    assert await store.own("ko") == ""
    await store.put("ko", "  나는 소리\n")
    await store.put("ko", "나는 소리입니다")
    await store.put("en", "I am Sori")
    assert (await store.own("ko"), await store.own("en")) == ("나는 소리입니다", "I am Sori")
    assert await store.reset("ko")
    assert not await store.reset("ko")
    assert (await store.own("ko"), await store.own("en")) == ("", "I am Sori")


@pytest.mark.parametrize(("text", "reason"), [(" \n", "prompt_empty"), ("x" * (LONGEST_PROMPT + 1), "prompt_too_long")])
async def test_a_prompt_that_says_nothing_or_too_much_is_refused(
    store: BasePromptStore, text: str, reason: str
) -> None:
    await store.put("en", "I am Sori")
    with pytest.raises(SoriError) as refused:
        await store.put("en", text)
    assert refused.value.reason == reason
    assert await store.own("en") == "I am Sori"


async def test_nothing_is_left_of_the_words_of_a_reset_prompt(store: BasePromptStore, database: Database) -> None:
    await store.put("en", "private words")
    await store.reset("en")
    left = await database.read(lambda connection: connection.execute("SELECT text FROM base_prompts").fetchall())
    assert left == [("",)]
    assert not await database.read(own_prompts)
    await store.put("en", "other words")
    assert await store.own("en") == "other words"
