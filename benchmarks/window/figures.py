"""The window's figures: gaps while an answer streams, long conversations, memory over many turns, idle, first paint.

    python benchmarks/window/figures.py stream|history|turns|idle|start [--scale 1.0]

``stream``, ``history`` and ``turns`` run the real window with messages that come through the bridge from another
thread, as the engine's do. A gap is the time between two moments at which the window could have handled a click.
``idle`` and ``start`` run the product in a process of its own, with a home of its own (``SORI_MODELS`` names the
weights), and need a screen, which may be ``xvfb-run``. ``web_page.py`` is the baseline of ``stream``.
"""

import argparse
import gc
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from PySide6.QtCore import QElapsedTimer, QEventLoop, Qt, QTimer
from PySide6.QtWidgets import QApplication

from assistant.app.window import TURN_OF_A_THREAD_S
from assistant.core.machine.states import InteractionState, ProcessingState, Snapshot, TurnId
from assistant.core.messages import Completion, Message, Role
from assistant.core.packets import AnswerDelta, Done
from assistant.core.updates import ConversationOpened, MessageAdded, PacketEmitted, StateChanged
from assistant.desktop.bridge import Bridge
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme
from assistant.desktop.main_window import MainWindow
from assistant.host.places import RESOURCES
from assistant.host.texts import load_texts
from benchmarks.window.answer import LENGTH, PIECE, TOKENS_A_SECOND, long_answer
from tests.fakes.front.connection import RecordedConnection

BEAT_MS = 2
P99_LIMIT_MS, LONGEST_LIMIT_MS = 33.0, 100.0
PAGE = 60
"""Messages that the engine sends at once."""
_TOP_PX, _WHEEL_PX = 160, 120
"""How near to its top the conversation asks for earlier messages, and one step of a wheel."""
ROOT = Path(__file__).resolve().parents[2]


class Heart:
    """Beats in the window's event loop, and records how late each beat is."""

    def __init__(self) -> None:
        self.gaps_ms: list[float] = []
        self.busy_ms: list[float] = []
        """Processor time of the window's thread in each gap: what a machine without other work would show."""
        self._busy_s = 0.0
        self._clock = QElapsedTimer()
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(BEAT_MS)
        self._timer.timeout.connect(self._beat)

    def start(self) -> None:
        """Begin to record."""
        self.gaps_ms, self.busy_ms, self._busy_s = [], [], time.thread_time()
        self._clock.start()
        self._timer.start()

    def stop(self) -> None:
        """End recording."""
        self._timer.stop()

    def _beat(self) -> None:
        self.gaps_ms.append(self._clock.nsecsElapsed() / 1e6)
        self._clock.restart()
        now_s = time.thread_time()
        self.busy_ms.append((now_s - self._busy_s) * 1000)
        self._busy_s = now_s

    def told(self, name: str) -> None:
        """Print the gaps."""
        for kind, found in (("gaps", self.gaps_ms), ("of that busy", self.busy_ms)):
            gaps = sorted(found)
            p99 = gaps[int(len(gaps) * 0.99) - 1]
            print(
                f"{name:28} {kind:12} median {statistics.median(gaps):5.1f} ms  p99 {p99:5.1f} ms ({P99_LIMIT_MS:.0f}) "
                f" longest {gaps[-1]:5.1f} ms ({LONGEST_LIMIT_MS:.0f})  above 33 ms: {sum(each > 33 for each in gaps)}"
            )


def run_until(done: Callable[[], bool], timeout_s: float = 600) -> None:
    """Run the event loop until something is so."""
    loop, timer = QEventLoop(), QTimer()
    timer.timeout.connect(lambda: loop.quit() if done() else None)
    timer.start(5)
    QTimer.singleShot(round(timeout_s * 1000), loop.quit)
    loop.exec()


def pause(ms: int) -> None:
    """Run the event loop for a while."""
    until = time.monotonic() + ms / 1000
    run_until(lambda: time.monotonic() >= until)


def memory_mb() -> float:
    """The memory of this process now, in MB."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 1e6


def make_window() -> tuple[MainWindow, Bridge]:
    """A window of a usual size with an empty conversation, and the bridge that leads to it."""
    application = QApplication([])
    import_module("assistant.desktop.markdown.view")  # As the product does when the window has been painted.
    home = Path(tempfile.mkdtemp())
    window = MainWindow(
        RecordedConnection(),
        load_texts("ko"),
        Icons(RESOURCES / "icons"),
        Theme(application, "light"),
        home,
        talk_key="F9",
    )
    bridge = Bridge()
    bridge.connect_view(window.show_update)
    window.resize(1000, 760)
    window.show()
    window.show_update(ConversationOpened(conversation="a", messages=()))
    pause(300)
    gc.collect()
    gc.freeze()  # As the product does when it has started.
    sys.setswitchinterval(TURN_OF_A_THREAD_S)
    return window, bridge


def say(bridge: Bridge, turn: str, text: str, *, piece: int, rest_s: float) -> None:
    """Send one turn through the bridge as the engine does."""
    of = TurnId(turn)
    running = Snapshot(interaction=InteractionState.PROCESSING, processing=ProcessingState.STREAMING, turn=of)
    question = Message(role=Role.USER, text="표와 코드로 길게 설명해 줘", id=f"q{turn}")
    bridge.publish(MessageAdded(conversation="a", turn=of, message=question))
    bridge.publish(StateChanged(conversation="a", snapshot=running))
    due = time.perf_counter()
    for at in range(0, len(text), piece):
        bridge.publish(
            PacketEmitted(conversation="a", turn=of, packet=AnswerDelta(turn_index=0, text=text[at : at + piece]))
        )
        due += rest_s
        if (left := due - time.perf_counter()) > 0:
            time.sleep(left)
    bridge.publish(PacketEmitted(conversation="a", turn=of, packet=Done(turn_index=0, finish="complete")))
    bridge.publish(StateChanged(conversation="a", snapshot=Snapshot()))


def beside(work: Callable[[], None]) -> None:
    """Do work on a thread while the window's event loop runs."""
    thread = threading.Thread(target=work)
    thread.start()
    run_until(lambda: not thread.is_alive(), 3600)
    pause(500)


def stream(scale: float) -> None:
    """An answer with tables and code at the speed of a fast model."""
    _, bridge = make_window()
    heart, text = Heart(), long_answer(round(LENGTH * scale))
    before = time.process_time()
    heart.start()
    beside(lambda: say(bridge, "1", text, piece=PIECE, rest_s=1 / TOKENS_A_SECOND))
    heart.stop()
    heart.told(f"stream of {len(text):,} characters")
    print(f"{'':28} processor time {time.process_time() - before:.1f} s, memory {memory_mb():.0f} MB")


def history(scale: float) -> None:
    """A conversation of 10,000 messages: opening it, and scrolling up to its beginning."""
    window, _ = make_window()
    count = round(10_000 * scale)
    messages = tuple(_messages(count))
    before, began = memory_mb(), time.perf_counter()
    window.show_update(ConversationOpened(conversation="b", messages=messages[-PAGE:], more=True))
    QApplication.processEvents()
    window.repaint()
    opened_ms = (time.perf_counter() - began) * 1000
    print(f"{count:,} messages: opened in {opened_ms:.0f} ms (500)")
    heart, bar = Heart(), window.conversation.verticalScrollBar()
    at = count - PAGE
    pages: list[float] = []
    heart.start()
    while at > 0:
        while bar.value() > _TOP_PX:
            bar.setValue(max(bar.value() - _WHEEL_PX, 0))
            pause(16)
        began = time.perf_counter()
        window.conversation.show_earlier(messages[max(at - PAGE, 0) : at], more=at > PAGE)
        pages.append((time.perf_counter() - began) * 1000)
        at -= PAGE
        if len(pages) % 40 == 0:
            print(f"  {len(pages)} pages: the last took {pages[-1]:.0f} ms, memory {memory_mb() - before:+.0f} MB")
    heart.stop()
    heart.told(f"scrolling {len(pages)} pages up")
    print(f"{'':28} {len(window.conversation.rows)} rows with widgets, memory {memory_mb() - before:+.0f} MB")
    heart.start()
    for step in range(40):
        bar.setValue(bar.maximum() * (step * 17 % 40) // 40)
        pause(50)
    heart.stop()
    heart.told("jumping 40 times")
    print(f"{'':28} {len(window.conversation.rows)} rows with widgets, memory {memory_mb() - before:+.0f} MB")


def _messages(count: int) -> Iterator[Message]:
    answers = (
        "내일은 대체로 **맑고** 낮 최고 기온은 12도예요.",
        "- 하나\n- 둘\n- 셋\n\n`코드`도 있어요.",
        long_answer(600),
    )
    for number in range(count // 2):
        yield Message(role=Role.USER, text=f"{number}번째 질문이에요. 오늘 일정은 어때?", id=f"u{number}")
        yield Message(
            role=Role.ASSISTANT, text=answers[number % len(answers)], id=f"a{number}", completion=Completion.COMPLETE
        )


def turns(scale: float) -> None:
    """Memory over 1,000 turns in ten conversations."""
    window, bridge = make_window()
    count, texts = round(1000 * scale), (long_answer(800), "네, 알겠어요.", long_answer(300))
    seen: list[float] = []
    for each in range(count):
        if each % 100 == 0:
            window.show_update(ConversationOpened(conversation="a", messages=()))
        beside_turn = threading.Thread(
            target=lambda each=each: say(bridge, str(each + 10), texts[each % 3], piece=40, rest_s=0.0005)
        )
        beside_turn.start()
        run_until(lambda: not beside_turn.is_alive())  # noqa: B023
        if each % 100 == 99:
            pause(200)
            seen.append(memory_mb())
            print(f"  {each + 1} turns: {seen[-1]:.0f} MB")
    print(f"{count} turns: {seen[-1] - seen[0]:+.0f} MB since the first hundred")


def idle(_scale: float) -> None:
    """The processor time and memory of the product's window while nothing happens."""
    with tempfile.TemporaryDirectory() as home:
        child = subprocess.Popen([sys.executable, str(ROOT / "main.py")], env=_environment(home), cwd=ROOT)
        try:
            for wait_s in (60, 60):
                began, before = time.monotonic(), _spent_s(child.pid)
                time.sleep(wait_s)
                share = (_spent_s(child.pid) - before) / (time.monotonic() - began) * 100
                print(f"{wait_s} s: {share:.2f} % of a core (1), memory {_resident_mb(child.pid):.0f} MB (700)")
        finally:
            child.terminate()
            child.wait(30)


def _environment(home: str) -> dict[str, str]:
    """The environment of the product: a home of its own, on the real screen."""
    return {name: value for name, value in os.environ.items() if name != "QT_QPA_PLATFORM"} | {"SORI_HOME": home}


def _spent_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _resident_mb(pid: int) -> float:
    return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize() / 1e6


def start(_scale: float) -> None:
    """The first paint, beside the time until all is loaded, which a window that loads first would wait for."""
    for _ in range(3):
        with tempfile.TemporaryDirectory() as home:
            script = Path(__file__).with_name("first_paint.py")
            told = subprocess.run(
                [sys.executable, str(script)],
                env=_environment(home),
                cwd=ROOT,
                capture_output=True,
                text=True,
                check=False,
            ).stdout.split()
            painted, ready, busy = map(float, told)
            print(
                f"first paint {painted:.2f} s (1), of that busy {busy:.2f} s, all loaded {ready:.2f} s: "
                f"{painted / ready:.2f} (0.2)"
            )


def main() -> None:
    """Run one figure and print it."""
    figures = {"stream": stream, "history": history, "turns": turns, "idle": idle, "start": start}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figure", choices=figures)
    parser.add_argument("--scale", type=float, default=1.0)
    given = parser.parse_args()
    print(f"load of the machine: {os.getloadavg()[0]:.1f}")
    figures[given.figure](given.scale)


if __name__ == "__main__":
    main()
