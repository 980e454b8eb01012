"""The request for a shorter memory, and whether a reply is one (C-20). Pure."""

import re
from collections.abc import Sequence

from assistant.core.records.egress import DataClass
from assistant.core.texts import Texts
from assistant.llm.backend import ModelMessage, ModelRequest

_LINE = re.compile(r"^- +(?P<fact>\S.*)$")


def listed(facts: Sequence[str]) -> str:
    """The facts in the form of a memory file."""
    return "\n".join(f"- {fact}" for fact in facts)


def longest_of(facts: Sequence[str]) -> int:
    """Maximum characters of the shorter memory: half of the original."""
    return len(listed(facts)) // 2


def request(model: str, facts: Sequence[str], texts: Texts) -> ModelRequest:
    """The request to shorten these facts."""
    task = texts("summary.memory")
    return ModelRequest(
        model=model,
        system=task,
        messages=(ModelMessage(role="user", text=f"{listed(facts)}\n\n{task}"),),
        purpose="summary",
        data=(DataClass.FACTS,),
        aside=True,
    )


def shorter_facts(reply: str, facts: Sequence[str]) -> tuple[str, ...]:
    """The facts of a reply; empty unless each line is a fact ``- …`` and all have half of the original's size."""
    found = [_LINE.match(line.strip()) for line in reply.splitlines() if line.strip()]
    shorter = tuple(line["fact"].strip() for line in found if line is not None)
    fits = bool(shorter) and None not in found and len(listed(shorter)) <= longest_of(facts)
    return shorter if fits else ()


def portions(facts: Sequence[str], room: int) -> list[list[str]]:
    """The facts in portions of at most ``room`` characters each, in order. A longer fact is a portion of its own."""
    made: list[list[str]] = []
    for fact in facts:
        if made and len(listed([*made[-1], fact])) <= room:
            made[-1].append(fact)
        else:
            made.append([fact])
    return made
