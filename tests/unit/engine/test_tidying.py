import os
import time
from pathlib import Path

from assistant.engine.tidying import tidy
from assistant.host.places import Places

HOUR_S = 3600.0


def test_everything_that_a_crash_left_half_written_is_removed_an_hour_later(tmp_path: Path) -> None:
    places = Places(tmp_path)
    folders = (tmp_path, places.notes, places.pictures, places.personal_memory.parent, places.workspaces / "garden")
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ".file.md.abc.unfinished").write_text("half", encoding="utf-8")
    begun = places.workspaces / "garden" / "agents" / ".coach.abc.unfinished"
    begun.mkdir(parents=True)
    (begun / "persona.md").write_text("half", encoding="utf-8")
    now = time.time()
    tidy(places, now)
    assert begun.exists()
    for path in (begun, *tmp_path.rglob(".*.unfinished")):
        os.utime(path, (now - 2 * HOUR_S, now - 2 * HOUR_S))
    tidy(places, now)
    assert not list(tmp_path.rglob(".*"))
