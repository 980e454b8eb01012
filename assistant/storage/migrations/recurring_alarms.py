"""Step 14: alarms recur by rules of RFC 5545, so that they can be monthly, yearly, of every other week, or end.

Before this step a repeating alarm held its time of day and its weekdays, as in ``07:30 01234``.
"""

import sqlite3
from datetime import datetime, time

from assistant.core.times.recurrence import WEEKDAY_CODES, Recurrence


def give_alarms_rules(connection: sqlite3.Connection) -> None:
    """Replace the weekdays of each repeating alarm by a rule that starts when the alarm rings next."""
    rows = connection.execute("SELECT id, due_at, repeats FROM timers WHERE repeats != ''").fetchall()
    for timer_id, due_at, repeats in rows:
        at, _, days = repeats.partition(" ")
        start = datetime.combine(datetime.fromisoformat(due_at).date(), time.fromisoformat(at))
        rule = f"FREQ=WEEKLY;BYDAY={','.join(WEEKDAY_CODES[int(day)] for day in days)}"
        row = (str(Recurrence.of(rule, start)), timer_id)
        connection.execute("UPDATE timers SET repeats = ? WHERE id = ?", row)
