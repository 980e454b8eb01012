"""Time for which the window is blocked while an answer of 10,000 characters streams into it.

    python benchmarks/window/answer_stream.py [--rounds 3]

The baseline is Qt's own Markdown, which replaces the whole text with every update. Both arms alternate in one process
and get the same text in the same pieces, each in a widget of the same width that is laid out and painted after every
update. The figure is the time between two moments at which the window could have handled a click.
"""

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from PySide6.QtWidgets import QApplication, QScrollArea, QTextEdit

from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme
from assistant.desktop.markdown.view import MarkdownText
from assistant.host.places import RESOURCES
from assistant.host.texts import load_texts

LENGTH = 10_000
PIECE = 40
"""Characters of an update: 1,200 characters a second of a fast model at 30 updates a second."""
WIDTH_PX = 640
UPDATE_S = 1 / 30
LIMIT_MS = 50.0

_SENTENCE = "소리는 **음성 비서**입니다. `코드`와 [문서](https://example.com)를 *함께* 보여 줍니다. "
_TEXTS = {
    "prose": (_SENTENCE * 4 + "\n\n") * 60,
    "list": (f"- {_SENTENCE}\n") * 200,
    "table": "| 이름 | 값 | 설명 |\n|---|---:|---|\n" + "| **하나** | 1,000 | `코드`와 글 |\n" * 400,
    "code": "```python\n" + "def greet(name: str) -> str:\n    return f'안녕, {name}! {42}'  # 인사\n\n" * 160,
}


Arm = Callable[[QScrollArea], Callable[[str], None]]
"""Puts a widget into the area and returns the function that appends text to it."""


def _stand_stills_ms(update: Callable[[str], None], text: str) -> list[float]:
    """For each update the longest time, in milliseconds, in which no event could be handled."""
    longest = []
    for at in range(0, len(text), PIECE):
        due = time.perf_counter() + UPDATE_S
        taken = [_timed_ms(partial(update, text[at : at + PIECE]))]
        while time.perf_counter() < due:
            time.sleep(0.001)
            taken.append(_timed_ms(lambda: None))
        longest.append(max(taken))
    return longest


def _timed_ms(act: Callable[[], None]) -> float:
    began = time.perf_counter()
    act()
    QApplication.processEvents()
    return (time.perf_counter() - began) * 1000


def _ours(icons: Icons, theme: Theme) -> Arm:
    def arm(area: QScrollArea) -> Callable[[str], None]:
        view = MarkdownText("answer", load_texts("ko"), icons, theme)
        area.setWidget(view)
        view.fit(WIDTH_PX)
        return view.grow

    return arm


def _baseline(area: QScrollArea) -> Callable[[str], None]:
    view = QTextEdit()
    view.setReadOnly(True)
    view.setFixedWidth(WIDTH_PX)
    area.setWidget(view)
    said = ""

    def grow(text: str) -> None:
        nonlocal said
        said += text
        view.setMarkdown(said)
        view.setFixedHeight(int(view.document().size().height()))

    return grow


def _run(arm: Arm, text: str) -> list[float]:
    area = QScrollArea()
    area.resize(WIDTH_PX + 30, 700)
    area.show()
    taken = _stand_stills_ms(arm(area), text)
    area.close()
    return taken


def main() -> None:
    """Run both arms alternately and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    application = QApplication([])
    arms = {"baseline": _baseline, "Sori": _ours(Icons(RESOURCES / "icons"), Theme(application, "light"))}
    print(f"{'text':8} {'arm':9} {'median':>9} {'p95':>9} {'longest':>9} {'in all':>9}")
    for name, text in _TEXTS.items():
        seen: dict[str, list[float]] = {each: [] for each in arms}
        for _ in range(rounds):
            for each, arm in arms.items():
                seen[each] += _run(arm, text[:LENGTH])
        for each, taken in seen.items():
            p95 = statistics.quantiles(taken, n=20)[-1]
            print(
                f"{name:8} {each:9} {statistics.median(taken):6.1f} ms {p95:6.1f} ms {max(taken):6.1f} ms "
                f"{sum(taken) / rounds / 1000:7.2f} s"
            )
        late = sum(each > LIMIT_MS for each in seen["Sori"])
        ratio = sum(seen["Sori"]) / sum(seen["baseline"])
        print(f"{name:8} Sori/baseline {ratio:.3f}; Sori above {LIMIT_MS:.0f} ms: {late} of {len(seen['Sori'])}")


if __name__ == "__main__":
    main()
