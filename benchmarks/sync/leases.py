"""Whether one device alone leads, through schedules of crashes, pauses, partitions, slow answers and wrong clocks.

    python -m benchmarks.sync.leases [--schedules 1000]

Each schedule runs 2 to 4 devices for 10 virtual minutes; in as many others the leader crashes while all else is well.
"""

import argparse
import statistics
import time

from assistant.sync.store import LEASE_S
from tests.fakes.sync.leases import LeaseReport, run_schedule, run_takeover


def main() -> None:
    """Run them and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--schedules", type=int, default=1000)
    report, began = LeaseReport(), time.perf_counter()
    for seed in range(parser.parse_args().schedules):
        run_schedule(seed, report)
        run_takeover(seed, report)
    print(f"{report.done} pieces of work, {report.changes} changes of hands, {time.perf_counter() - began:.0f} s")
    print(f"stale writes {report.stale}, done twice {report.twice}, moments with two leaders {report.both}")
    took = report.takeovers_s
    print(f"takeover: median {statistics.median(took):.1f} s, longest {max(took):.1f} s of {LEASE_S + 5:.0f} s")


if __name__ == "__main__":
    main()
