"""What becomes of a scheduled request as time goes on. Pure.

That a request runs is written before it runs, with the time at which it is due next. So it runs at most once a time,
whatever ends Sori, and what was cut off is known by its state. Devices of one account share the state.
"""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

from assistant.core.times.recurrence import Recurrence, Zone
from assistant.storage.identities import new_id
from assistant.storage.timers import Job, RunOutcome, StoredTimer

LATEST_S = 600.0
"""Seconds after its time until which a request is carried out all the same. Later it was missed."""


def state_at(
    request: StoredTimer, now: datetime, zone: Zone, here: Collection[str], *, alone: bool = True
) -> StoredTimer | None:
    """What a scheduled request becomes now; ``None`` if it stays as it is.

    Args:
        request: the request.
        now: the present, with its time zone.
        zone: the user's time zone.
        here: the turns that this process has begun.
        alone: whether no other device carries requests out. Otherwise a run that this process has not begun may be at
            work on another one, and counts as interrupted ``LATEST_S`` after its beginning.
    """
    job = _job(request)
    if job.outcome is RunOutcome.RUNNING:
        goes_on = job.turn in here or not (alone or _is_late(datetime.fromisoformat(job.ran_at), now))
        return None if goes_on else finished(request, RunOutcome.INTERRUPTED)
    if job.asked_at:
        late = _is_late(datetime.fromisoformat(job.asked_at), now)
        unasked = replace(request, job=replace(job, asked_at=""))
        return unasked if late else _run(unasked, now, zone, RunOutcome.RUNNING)
    if not is_waiting(request):
        return None
    if request.due_at <= now:
        return _run(request, now, zone, RunOutcome.MISSED if _is_late(request.due_at, now) else RunOutcome.RUNNING)
    # The time zone may have changed, or the clock may have been set back: then a time that was used comes again.
    due_at = request.due_at if request.repeats is None else request.repeats.next_after(now, zone)
    if due_at is None or due_at == request.due_at or (job.ran_at and due_at <= datetime.fromisoformat(job.ran_at)):
        return None
    return replace(request, due_at=due_at)


def asked_now(request: StoredTimer, now: datetime) -> StoredTimer | None:
    """A scheduled request that is wanted now; ``None`` if it runs already. The process that rings timers begins it."""
    job = _job(request)
    return None if job.outcome is RunOutcome.RUNNING else replace(request, job=replace(job, asked_at=now.isoformat()))


def elsewhere(state: StoredTimer, noted: datetime) -> StoredTimer:
    """A request whose run another device has noted, while nothing else of that run has come.

    Args:
        state: what the request would be if this device carried it out.
        noted: the time for which it was noted. Whatever the other device tells of the run is later, so it counts.
    """
    job = replace(_job(state), turn="", ran_at=noted.isoformat(), outcome=RunOutcome.RUNNING)
    return replace(state, job=job)


def finished(request: StoredTimer, outcome: RunOutcome) -> StoredTimer:
    """A scheduled request whose run has ended."""
    return replace(request, job=replace(_job(request), outcome=outcome))


def retimed(request: StoredTimer, due_at: datetime, repeats: Recurrence | None) -> StoredTimer:
    """The request at another time. What became of it at the former one does not keep it from being carried out."""
    job = _job(request)
    if job.outcome is not RunOutcome.RUNNING:
        job = replace(job, ran_at="", turn="", outcome=RunOutcome.NONE)
    return replace(request, due_at=due_at, repeats=repeats, job=job)


def is_over(request: StoredTimer) -> bool:
    """Whether a scheduled request has been carried out for the last time, so that nothing of it is left to show."""
    job = _job(request)
    return job.outcome is RunOutcome.DONE and request.repeats is None


def is_waiting(request: StoredTimer) -> bool:
    """Whether a scheduled request will be carried out by itself."""
    job = _job(request)
    return not job.paused and not (request.repeats is None and job.ran_at)


def _is_late(due_at: datetime, now: datetime) -> bool:
    return (now - due_at).total_seconds() >= LATEST_S


def _run(request: StoredTimer, now: datetime, zone: Zone, outcome: RunOutcome) -> StoredTimer:
    """A request that runs now or was missed, with its next time. What comes no more comes only once from now on."""
    due_at = request.repeats.next_after(now, zone) if request.repeats else None
    turn = new_id() if outcome is RunOutcome.RUNNING else ""
    job = replace(_job(request), turn=turn, ran_at=now.isoformat(), outcome=outcome)
    if due_at is None:
        return replace(request, repeats=None, job=job)
    return replace(request, due_at=due_at, job=job)


def _job(request: StoredTimer) -> Job:
    return request.job or Job()
