"""How often a citation by code is right, and what it misses, on this project's own pages in Korean and English.

Each sentence of the pages is an answer about the passages of all pages. Beside the sentence itself a false one is
made: another number, another name, or the opposite. A citation is right if it names a passage that holds the sentence,
and wrong if it names another, or if the sentence is false.

    python -m benchmarks.knowledge.citations
"""

import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from assistant.agent.citing.support import claim_of, supporting
from assistant.core.knowledge.passages import Citation

PAGES = (
    "README.ko.md",
    "README.md",
    *(f"docs/decisions/{name}.md" for name in ("memory", "wake-word", "sqlite", "mcp")),
)
_PASSAGE = 700
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_CODE = re.compile(r"```.*?```|^\|.*$|^#.*$", re.DOTALL | re.MULTILINE)


def passages(root: Path) -> list[Citation]:
    """The pages in passages of whole paragraphs."""
    found = list[Citation]()
    for page in PAGES:
        text = ""
        for paragraph in (root / page).read_text(encoding="utf-8").split("\n\n"):
            if text and len(text) + len(paragraph) > _PASSAGE:
                found.append(Citation(number=len(found) + 1, title=page, text=text))
                text = ""
            text = f"{text}\n\n{paragraph}".strip()
        found.append(Citation(number=len(found) + 1, title=page, text=text))
    return found


def sentences(passage: Citation) -> Iterator[str]:
    """The sentences of a passage in which there is something to compare."""
    for paragraph in re.split(r"\n\n|\n(?=[-*] )", _CODE.sub("", passage.text)):
        for sentence in _SENTENCE.split(" ".join(paragraph.split())):
            if len(sentence) > 20 and len(claim_of(sentence).words) > 2:
                yield sentence


def false_one(sentence: str, chance: random.Random) -> str:
    """The sentence with another number or name, or its opposite."""
    if numbers := re.findall(r"\d+", sentence):
        number = chance.choice(numbers)
        return re.sub(rf"(?<!\d){number}(?!\d)", str(int(number) + chance.randint(3, 900)), sentence)
    if claim_of(sentence).negated:
        return sentence  # Its opposite is not made by one word.
    if re.search("[가-힣]", sentence):
        return sentence.rstrip(". ") + " 그렇지 않아요."
    return re.sub(r"\b(is|are|can|has|have|does|may)\b", r"\1 not", sentence, count=1)


def main() -> None:
    """Print the figures."""
    chance = random.Random(7)  # noqa: S311 - the same sentences every time
    given = passages(Path(__file__).parents[2])
    right = wrong = missed = false_cited = false = 0
    for passage in given:
        for sentence in sentences(passage):
            number = supporting(sentence, given)
            plain = " ".join(given[number - 1].text.split()) if number else ""
            right += sentence in plain
            wrong += bool(number) and sentence not in plain
            missed += not number
            changed = false_one(sentence, chance)
            if changed != sentence:
                false += 1
                false_cited += bool(supporting(changed, given))
    cited = right + wrong + false_cited
    sys.stdout.write(f"{len(given)} passages, {right + wrong + missed} true and {false} false sentences\n")
    sys.stdout.write(f"true: {right} right, {wrong} another passage, {missed} not cited\n")
    sys.stdout.write(f"false: {false_cited} cited\nright of all citations: {right / cited:.3f}\n")


if __name__ == "__main__":
    main()
