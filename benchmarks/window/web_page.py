"""The baseline of ``figures.py stream``: the same answer, at the same speed, in a QWebEngine page.

    python -m venv web && web/bin/pip install "PySide6-Essentials<6.11" "PySide6-Addons<6.11" markdown-it-py
    web/bin/python benchmarks/window/web_page.py [--scale 1.0]

From 6.11 on these packages hold no QtWebEngine. It ends after the answer's time and a minute at the latest, with the
status 1 if the page did not come, its process ended, or it told nothing.

A page redraws the whole answer from its Markdown 30 times a second, as the programs with such a page do. The gap is
the time between two beats of the page's own event loop.
"""

import argparse
import json
import os
import sys
import time
from importlib import import_module
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("QTWEBENGINE_CHROMIUM_FLAGS", "--no-sandbox --disable-gpu")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from markdown_it import MarkdownIt
from PySide6.QtCore import QElapsedTimer, QTimer
from PySide6.QtWidgets import QApplication

from benchmarks.window.answer import LENGTH, PIECE, TOKENS_A_SECOND, long_answer

_HEART = """
window.gaps = []; let last = performance.now();
const beat = new MessageChannel(); beat.port1.onmessage = () => {
  const now = performance.now();
  if (now - last >= 2) { window.gaps.push(now - last); last = now; }
  beat.port2.postMessage(0);
}; beat.port2.postMessage(0);
"""
_TELL = "JSON.stringify(window.gaps)"
_SPARE_S = 60
"""Longest time for all but the answer."""


def _memory_mb(pid: int) -> float:
    """The memory of a process and its children, in MB."""
    taken = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * 4096 / 1e6
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return taken + sum(_memory_mb(int(each)) for each in children)


def main() -> None:
    """Stream the answer into the page and print its gaps."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0)
    text = long_answer(round(LENGTH * parser.parse_args().scale))
    application = QApplication(sys.argv[:1])
    try:
        engine = import_module("PySide6.QtWebEngineWidgets")  # Not among the packages of the product.
    except ImportError as error:
        sys.exit(f"{error}: see the head of this file")
    view, markdown = engine.QWebEngineView(), MarkdownIt("commonmark").enable("table")
    view.resize(640, 700)
    view.show()
    clock, timer = QElapsedTimer(), QTimer()

    def grow() -> None:
        shown = min(round(clock.elapsed() / 1000 * TOKENS_A_SECOND * PIECE), len(text))
        html = json.dumps(markdown.render(text[:shown]))
        view.page().runJavaScript(f"document.body.innerHTML = {html}; window.scrollTo(0, document.body.scrollHeight);")
        if shown == len(text):
            timer.stop()
            QTimer.singleShot(500, lambda: view.page().runJavaScript(_TELL, 0, tell))

    def fail(why: str) -> None:
        print(f"web page: {why}")
        application.exit(1)

    def tell(gaps: str | None) -> None:
        view.page().renderProcessTerminated.disconnect()  # Its process ends with the program.
        found = sorted(json.loads(gaps or "[]"))
        if len(found) < 2:
            fail("the page told no gaps")
            return
        p99 = found[int(len(found) * 0.99) - 1]
        memory = _memory_mb(os.getpid())
        print(
            f"web page, {len(text):,} characters  gaps: p99 {p99:.1f} ms  longest {found[-1]:.1f} ms  "
            f"memory {memory:.0f} MB"
        )
        application.quit()

    def begin(loaded: bool) -> None:
        if not loaded:
            fail("it was not loaded")
            return
        view.page().runJavaScript(_HEART)
        clock.start()
        timer.start(33)

    timer.timeout.connect(grow)
    view.loadFinished.connect(begin)
    view.page().renderProcessTerminated.connect(lambda status, code: fail(f"its process ended: {status}, {code}"))
    limit_s = len(text) / (TOKENS_A_SECOND * PIECE) + _SPARE_S
    QTimer.singleShot(round(limit_s * 1000), lambda: fail(f"not done after {limit_s:.0f} s"))
    view.setHtml("<body style='font: 15px sans-serif'></body>")
    began = time.process_time()
    status = application.exec()
    print(f"processor time of this process {time.process_time() - began:.1f} s (the page's own not counted)")
    sys.exit(status)


if __name__ == "__main__":
    main()
