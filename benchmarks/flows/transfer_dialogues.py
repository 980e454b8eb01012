"""Random transfer dialogues: does anything move money that was not confirmed, or move it twice?

    python -m benchmarks.flows.transfer_dialogues [--dialogues 10000] [--seed 1] [--processes 2]

Each dialogue is generated: requests in Korean and English, answers, slips, changes of mind, questions, words that are
no yes, cancellations, faults of the bank, clicks on former questions, replies of a model that invents things, and the
end of the process before or after every write of a state, a key or an outcome. After each dialogue
the bank's history is compared with the proposals that stood on the screen when the user said yes.

A violation is a booking without a confirmed proposal that is identical to it, or a second booking for one yes.
"""

import argparse
import asyncio
import json
import logging
import random
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assistant.core.records.flows import FlowSession, StepOutcome
from assistant.flows.handler import ElsewhereError
from assistant.flows.services.transfer.bank import BankFault, Booking, Order
from assistant.flows.services.transfer.logic import is_confirm
from tests.fakes.flows.stores import MemoryStore
from tests.unit.flows.transfer.dialogue import Dialogue

PEOPLE = ("엄마", "아빠", "동생", "철수", "민수", "영호", "집주인")
AMOUNTS = (
    "오만 원",
    "3만5천원",
    "만 원",
    "이십만 원",
    "50000원",
    "삼백만 원",
    "0원",
    "반만",
    "나머지 다",
    "오천 원 더",
    "이삼만 원",
)
PEOPLE_EN = ("mom", "dad", "Sarah", "Peter", "my brother")
AMOUNTS_EN = ("fifty thousand won", "35k won", "10,000 won", "half", "5 million won", "the rest")
YES = ("응", "네 맞아요", "그래 보내", "ㅇㅇ", "yes go ahead", "ok", "보내 줘")
NO_YES = (
    "음",
    "네 근데 사만 원으로",
    "응?",
    "보내지 말고 기다려",
    "아니",
    "취소하지 마",
    "오만 원 보낼까?",
    "글쎄",
    "yes but",
    "what?",
)
CANCEL = ("취소", "안 보낼래", "never mind", "그만둘래")
CHANGES = (
    *(
        "아니 사만 원으로",
        "엄마 말고 아빠한테",
        "두 번째는 빼 줘",
        "메모 빼 줘",
        "날짜는 내일로 바꿔",
        "메모는 생일 축하",
        "두 배로",
    ),
    *(
        "아빠한테도 만 원",
        "마지막 거 취소해 줘",
        "만 원씩으로 바꿔 줘",
        "make it 20,000 won",
        "not mom, dad",
        "어제 보내 줘",
    ),
    *("국민은행 123-456-78901", "친구", "내일 9시에", "5만 원 말고 3만 원", "drop the second one"),
)


class Killed(BaseException):
    """The process ends here."""


@dataclass
class KillingStore(MemoryStore):
    """Ends the process before or after one of its writes.

    Attributes:
        kill_at: the number of the write at which the process ends; 0 for none.
        after: whether it ends after the write.
    """

    kill_at: int = 0
    after: bool = False
    writes: int = 0

    async def save(self, session: FlowSession) -> None:
        """Keep a session, or end the process."""
        self._before()
        await super().save(session)
        self._after()

    async def begin(self, key: str, *, session: str, service: str, step: str, digest: str) -> bool:
        """Note that a step begins, or end the process."""
        self._before()
        begun = await super().begin(key, session=session, service=service, step=step, digest=digest)
        self._after()
        return begun

    async def end(self, key: str, outcome: StepOutcome) -> None:
        """Note how a step ended, or end the process."""
        self._before()
        await super().end(key, outcome)
        self._after()

    def _before(self) -> None:
        self.writes += 1
        if self.writes == self.kill_at and not self.after:
            raise Killed

    def _after(self) -> None:
        if self.writes == self.kill_at and self.after:
            raise Killed


@dataclass
class Seen:
    """What one dialogue showed.

    Attributes:
        confirmed: the arguments of what was on the screen at each yes.
        counts: how often what happened.
        violations: what must not happen.
    """

    confirmed: list[dict[str, Any]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)


class Player:
    """A user who says random things, and a process that may end."""

    def __init__(self, folder: Path, rng: random.Random) -> None:
        self.rng, self.seen = rng, Seen()
        self.talk = Dialogue(folder)
        self.store = KillingStore()
        self.talk.store = self.store
        self.talk.restart()
        self.shown: dict[str, Any] | None = None

    async def play(self) -> Seen:
        """One dialogue of several messages."""
        await self._say(self._request())
        for _ in range(self.rng.randint(1, 9)):
            await self._turn()
        self._judge()
        return self.seen

    async def _turn(self) -> None:
        roll = self.rng.random()
        if roll < 0.12:
            self.talk.bank.arrange(self.rng.choice([each for each in BankFault if each is not BankFault.SLOW]))
        if roll > 0.8:
            self.store.kill_at = self.store.writes + self.rng.randint(1, 5)
            self.store.after = self.rng.random() < 0.5
        if self.rng.random() < 0.1 and self.shown is not None:
            await self._say("", decision="confirm", digest=self.rng.choice([self.shown["digest"], "old"]))
            return
        kinds = (YES, NO_YES, CHANGES, CANCEL, (self._request(),), PEOPLE, AMOUNTS)
        (words,) = self.rng.choices(kinds, weights=(8, 3, 5, 1, 2, 2, 2))
        self.talk.pass_time(seconds=self.rng.choice([5, 600, 90_000]) if self.rng.random() < 0.2 else 5)
        await self._say(self.rng.choice(words))

    def _request(self) -> str:
        rng = self.rng
        if rng.random() < 0.3:
            who, how_much = rng.choice(PEOPLE_EN), rng.choice(AMOUNTS_EN)
            return rng.choice(
                (f"send {who} {how_much}", f"send {how_much} to {who} tomorrow", f"send {who} and dad {how_much} each")
            )
        who, other = rng.sample(PEOPLE, 2)
        how_much, more = rng.choice(AMOUNTS), rng.choice(AMOUNTS)
        return rng.choice(
            (
                f"{who}한테 {how_much} 보내 줘",
                f"{who}한테 {how_much}, {other}한테 {more} 보내 줘",
                f"{who}랑 {other}한테 만 원씩 보내 줘",
                f"{how_much} 보내 줘",
                f"{who}한테 내일 {how_much} 이체해 줘 메모는 용돈",
                f"3만원씩 세 명한테 보내 줘 {who} {other} 아빠",
            )
        )

    async def _say(self, message: str, **metadata: Any) -> None:
        shown = self.shown
        yes = is_confirm(message) or (shown is not None and metadata.get("digest") == shown["digest"])
        if shown is not None and yes:
            self.seen.confirmed.append(shown["arguments"])
            self.seen.counts["yes"] += 1
        self.seen.counts["turns"] += 1
        # The model invents: what it says beyond the message must have no effect.
        replies = [self._invention() for _ in range(4)]
        try:
            await self._run(message, replies, metadata)
        except Killed:
            self.seen.counts["kills"] += 1
            self.store.kill_at = 0
            self.talk.restart()
        except ElsewhereError:
            self.seen.counts["elsewhere"] += 1

    async def _run(self, message: str, replies: list[str], metadata: dict[str, Any]) -> None:
        events = await self.talk.events(message, *replies, strict=False, **metadata)
        # What the user sees, and nothing that is only stored.
        self.shown = events[-1].payload["confirm"]
        self.seen.counts["turns without a model"] += len(self.talk.model.replies) == len(replies)

    def _invention(self) -> str:
        return json.dumps(
            {
                "action": "ASK",
                "message": "?",
                "operations": [
                    {
                        "op": self.rng.choice(["confirm", "set", "cancel", "executed"]),
                        "slot": "amount",
                        "value": "777777",
                    },
                    {"op": "set", "slot": "recipient", "value": self.rng.choice(PEOPLE)},
                ],
            }
        )

    def _judge(self) -> None:
        booked = self.talk.bank.view(self.talk.clock.now()).recent
        self.seen.counts["executed"] += len(booked)
        unused = [
            {name: value for name, value in each.items() if name != "from_account"} for each in self.seen.confirmed
        ]
        for each in booked:
            # Each yes pays for one booking, so a second one for the same yes is found too.
            if _as_arguments(each) in unused:
                unused.remove(_as_arguments(each))
            else:
                self.seen.violations.append(f"not confirmed, or booked twice: {each}")


def _as_arguments(booking: Booking) -> dict[str, Any]:
    order: Order = booking.order
    return {
        "to": order.name,
        "bank_name": order.bank,
        "account": order.account,
        "amount": order.amount,
        "day": order.day.isoformat(),
        "memo": order.memo,
    }


def part(first: int, count: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Play some of the dialogues."""
    logging.disable(logging.CRITICAL)
    counts: Counter[str] = Counter()
    violations: list[str] = []
    memory = Path("/dev/shm") if Path("/dev/shm").is_dir() else None  # noqa: S108 - databases that are written at once
    for number in range(first, first + count):
        with tempfile.TemporaryDirectory(dir=memory) as folder:
            rng = random.Random(f"{seed} {number}")  # noqa: S311 - a reproducible dialogue
            seen = asyncio.run(Player(Path(folder), rng).play())
        counts += seen.counts + Counter(dialogues=1)
        violations += [f"dialogue {number}: {each}" for each in seen.violations]
    return counts, violations


def main() -> int:
    """Play all dialogues and print what happened."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dialogues", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    began, share = time.monotonic(), 100
    counts: Counter[str] = Counter()
    violations: list[str] = []
    with ProcessPoolExecutor(options.processes) as pool:
        parts = [
            pool.submit(part, first, min(share, options.dialogues - first), options.seed)
            for first in range(0, options.dialogues, share)
        ]
        for each in parts:
            more, wrong = each.result()
            counts += more
            violations += wrong
            print(f"{counts['dialogues']} dialogues, {len(violations)} violations", file=sys.stderr, flush=True)
    print(f"{options.dialogues} dialogues in {time.monotonic() - began:.0f} s: {dict(counts)}")
    print(f"executed without an identical confirmed proposal, or twice: {len(violations)}")
    for violation in violations[:20]:
        print(violation)
    return bool(violations)


if __name__ == "__main__":
    sys.exit(main())
