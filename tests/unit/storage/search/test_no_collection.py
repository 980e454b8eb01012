import gc

from assistant.storage.search.no_collection import no_collection


def test_no_collection_begins_until_the_work_is_done() -> None:
    begun: list[str] = []

    def note(phase: str, _: dict[str, int]) -> None:
        begun.append(phase)

    thresholds = gc.get_threshold()
    gc.callbacks.append(note)
    try:
        gc.set_threshold(1)
        with no_collection():
            begun.clear()
            made = [[number] for number in range(1_000)]
            assert begun == []
        made += [[number] for number in range(1_000)]
        assert begun
    finally:
        gc.callbacks.remove(note)
        gc.set_threshold(*thresholds)


def test_collections_that_were_off_before_stay_off() -> None:
    gc.disable()
    try:
        with no_collection():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
