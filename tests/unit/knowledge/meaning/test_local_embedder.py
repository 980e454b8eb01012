"""The model of meanings on this machine finds what is meant, in Korean, in English and across both."""

import asyncio
import gc
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from assistant.knowledge.meaning.e5_model import E5Model
from assistant.knowledge.meaning.embedder import Vectors
from assistant.knowledge.meaning.local_embedder import FILE, MODEL, LocalEmbedder

pytestmark = pytest.mark.models

PASSAGES: Sequence[str] = (
    "반려견은 하루에 두 번, 적어도 30분씩 걷게 해 주세요.",
    "Let a dog walk twice a day, for half an hour at least.",
    "물건이 마음에 들지 않으면 14일 안에 돌려보내고 돈을 받을 수 있습니다.",
    "Goods that you do not like can be sent back within two weeks, and you get your money.",
    "근무는 아홉 시에 시작해서 여섯 시에 끝나며, 공휴일에는 쉽니다.",
    "The office opens at nine and closes at six, except on public holidays.",
    "단추를 10초 동안 누르고 있으면 무선 공유기가 새로 시작됩니다.",
    "Restart the router by holding its button for ten seconds.",
)
"""Each fact in Korean and in English."""


@pytest.fixture(scope="module")
def model(model_path: Callable[[str], Path]) -> E5Model:
    return E5Model(model_path(MODEL) / FILE)


@pytest.fixture(scope="module")
def passages(model: E5Model) -> Vectors:
    return np.stack([model.vector(f"passage: {each}") for each in PASSAGES])


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("강아지 산책은 얼마나 시켜야 해?", 0),
        ("How often should I take my dog out?", 0),
        ("Can I get a refund?", 1),
        ("사무실은 몇 시에 닫아?", 2),
        ("My wifi box hangs, what now?", 3),
    ],
)
def test_the_passage_that_is_meant_is_nearest(model: E5Model, passages: Vectors, question: str, meant: int) -> None:
    assert int((passages @ model.vector(f"query: {question}")).argmax()) // 2 == meant


async def test_an_idle_model_leaves_the_memory_and_comes_back(model_path: Callable[[str], Path]) -> None:
    embedder = LocalEmbedder(model_path(MODEL) / FILE, idle_s=0.01)
    try:
        first = await embedder.question("안녕")
        assert embedder._model is not None
        left = weakref.ref(embedder._model)
        while left() is not None:
            await asyncio.sleep(0.01)
            gc.collect()
        assert (await embedder.question("안녕") == first).all()
    finally:
        embedder.close()
