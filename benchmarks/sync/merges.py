"""Whether three devices that edit one memory file offline end alike and lose no line, over many random histories.

    python -m benchmarks.sync.merges [--histories 5000]

Each device adds, changes and removes lines, and syncs now and then with an account that accepts only changes that are
based on its newest one, as the server does. In the end all sync until nothing changes. Then all files must be alike,
and a line that was added or changed must be there unless its own device changed or removed it later, knowingly.
The same histories go through ``merge3`` with its markers, and through "the newest wins", for comparison.
"""

import argparse
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from merge3 import Merge3

from assistant.sync.merging import merged

Merge = Callable[[str, str, str], str]


@dataclass(slots=True)
class Copy:
    """A device's file, and what the account had when both were last alike."""

    text: str = ""
    base: str = ""
    number: int = 0


@dataclass(slots=True)
class Account:
    """The account's file and the number of its newest change."""

    text: str = ""
    number: int = 0


@dataclass(slots=True)
class History:
    """One random history. ``wanted`` are the lines that nobody has taken away."""

    chance: random.Random
    merge: Merge
    account: Account = field(default_factory=Account)
    copies: list[Copy] = field(default_factory=lambda: [Copy() for _ in range(3)])
    wanted: set[str] = field(default_factory=set)
    step: int = 0

    def run(self) -> tuple[bool, int, bool]:
        """Whether all end alike, how many lines are lost, and whether nothing but entries is in the file."""
        for self.step in range(40):
            copy = self.chance.choice(self.copies)
            if self.chance.random() < 0.6:
                self._edit(copy)
            else:
                self._sync(copy)
        for copy in [*self.copies, *self.copies]:
            self._sync(copy)
        alike = len({each.text for each in self.copies}) == 1
        lines = self.copies[0].text.splitlines()
        return alike, len(self.wanted - set(lines)), all(each.startswith("- ") for each in lines)

    def _edit(self, copy: Copy) -> None:
        lines = copy.text.splitlines()
        at = self.chance.randint(0, len(lines))
        new = f"- fact {self.step} {self.chance.randrange(10**6)}"
        if lines and self.chance.random() < 0.3:
            old = lines[at - 1]
            self.wanted.discard(old)
            lines[at - 1 : at] = [] if self.chance.random() < 0.3 else [new]
        else:
            lines.insert(at, new)
        if new in lines:
            self.wanted.add(new)
        copy.text = "".join(f"{line}\n" for line in lines)

    def _sync(self, copy: Copy) -> None:
        if copy.number != self.account.number:
            theirs = self.account.text
            if copy.text in (copy.base, theirs):
                copy.text = theirs
            elif theirs != copy.base:
                copy.text = self.merge(copy.base, theirs, copy.text)
            copy.base, copy.number = theirs, self.account.number
        if copy.text != copy.base:
            self.account.text, self.account.number = copy.text, self.account.number + 1
            copy.base, copy.number = copy.text, self.account.number


def with_markers(base: str, theirs: str, ours: str) -> str:
    """What ``merge3`` writes by itself."""
    before, first, second = (text.splitlines(keepends=True) for text in (base, theirs, ours))
    return "".join(Merge3(before, first, second).merge_lines())


def newest(base: str, theirs: str, ours: str) -> str:
    """Let the device that syncs last win."""
    del base, theirs
    return ours


MERGES: dict[str, Merge] = {
    "ours": lambda base, theirs, ours: merged(base, theirs, ours).text,
    "merge3 with markers": with_markers,
    "the newest wins": newest,
}


def main() -> None:
    """Run all histories with each merge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--histories", type=int, default=5000)
    count = parser.parse_args().histories
    for name, merge in MERGES.items():
        ends = [History(random.Random(seed), merge).run() for seed in range(count)]  # noqa: S311
        alike, lost = sum(each[0] for each in ends), sum(each[1] for each in ends)
        clean = sum(each[2] for each in ends)
        print(f"{name}: {alike} of {count} end alike, {lost} lines lost, {clean} files without markers")


if __name__ == "__main__":
    main()
