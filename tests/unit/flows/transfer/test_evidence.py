"""What of a model's operations a message supports, and what the model may choose from at all."""

import json

import pytest

from assistant.flows.services.transfer.agents.slot_filler.evidence import evidence_in, supported
from assistant.flows.services.transfer.reading.reader import read
from assistant.llm.reply.argument_check import problems
from tests.unit.flows.transfer.turns import SITUATIONS, operation_text

NEW = SITUATIONS["new"]
OFFERED = [
    {"op": "set", "slot": slot, "value": value}
    for slot, value in (
        *(("recipient", name) for name in ("엄마", "아빠", "mom", "dad", "영호")),
        *(("amount", amount) for amount in ("50000", "30000", "20000", "70000")),
        *(("memo", memo) for memo in ("월세", "삼만 원", "이삼만", "엄마", "groceries", "few thousand won", "많이")),
    )
]


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("집주인한테 월세 오만 원 보내 줘", "amount=50000; memo=월세"),
        ("엄마한테 오만 원 말고 아빠한테 삼만 원 보내 줘", "recipient=아빠; amount=30000"),
        ("오만 원 말고 삼만 원 엄마한테 어떻게 좀", "recipient=엄마; amount=30000"),
        ("엄마 말고 아빠한테 월세 하라고", "recipient=아빠; memo=월세"),
        ("엄마한테 이삼만 원 보내 줘", "recipient=엄마"),
        ("많이", ""),
        ("send 50,000 won to dad instead of mom somehow", "recipient=dad; amount=50000"),
        ("not mom but dad gets the 70,000 won", "recipient=dad; amount=70000"),
        ("not mom, dad, 20,000 won or so", "recipient=dad; amount=20000"),
        ("wire mom a few thousand won for groceries", "recipient=mom; memo=groceries"),
        ("엄마가 아빠한테 월세 오만 원 보내래", "recipient=아빠; amount=50000; memo=월세"),
        ("영호한테 월세 이만 원만 어떻게", "recipient=영호; amount=20000; memo=월세"),
    ],
)
def test_only_what_the_message_says_and_does_not_refuse_is_kept(message: str, kept: str) -> None:
    found = sorted({operation_text(each) for each in supported(OFFERED, message, NEW)})
    assert found == sorted(filter(None, kept.split("; ")))


@pytest.mark.parametrize("message", ["많이", "a lot", "적당히 알아서", "지난번만큼", "whatever you think", "글쎄 그게"])
def test_a_model_is_not_asked_about_a_message_in_which_it_could_find_nothing(message: str) -> None:
    assert evidence_in(message, NEW, read(message, NEW).left).schema is None


@pytest.mark.parametrize(
    ("message", "operations", "allowed"),
    [
        ("집주인한테 월세 오십만 원 보내 줘", [("amount", "500000"), ("memo", "월세")], True),
        ("집주인한테 월세 오십만 원 보내 줘", [("amount", "50000")], False),
        ("집주인한테 월세 오십만 원 보내 줘", [("recipient", "엄마")], False),
        ("집주인한테 월세 오십만 원 보내 줘", [("memo", "관리비")], False),
        ("엄마한테 이삼만 원 보내 줘", [("amount", "30000")], False),
        ("영호한테 월세 이만 원만 어떻게", [("recipient", "영호")], True),
        ("엄마가 아빠한테 오만 원 보내래", [("recipient", "엄마가")], False),
        ("엄마한테 오만 원 말고 아빠한테 삼만 원 보내 줘", [("amount", "50000")], False),
        ("엄마한테 오만 원 말고 아빠한테 삼만 원 보내 줘", [("memo", "보내")], False),
        ("send mom 50,000 won for her birthday", [("amount", "50000"), ("recipient", "mom")], True),
        ("send mom 50,000 won for her birthday", [("date", "2026-11-27")], False),
        ("send mom a few thousand won", [("memo", "few thousand won")], False),
    ],
)
def test_the_schema_holds_the_values_of_the_message(
    message: str, operations: list[tuple[str, str]], allowed: bool
) -> None:
    schema = evidence_in(message, NEW, read(message, NEW).left).schema
    assert schema is not None
    reply = {"operations": [{"op": "set", "slot": slot, "value": value} for slot, value in operations]}
    assert (problems(schema, json.loads(json.dumps(reply))) == ()) is allowed
