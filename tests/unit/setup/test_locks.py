"""The project's own lock files."""

from collections.abc import Iterator
from importlib.metadata import distributions

from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name

from assistant.host.places import PROJECT


def pinned() -> dict[NormalizedName, str]:
    """The versions for this machine in the lock files that a development environment is made of, by package."""
    lines = [
        line.removesuffix("\\")
        for group in ("runtime", "test")
        for line in (PROJECT / "requirements" / f"{group}.txt").read_text("utf-8").splitlines()
        if line[:1].isalnum()
    ]
    pins = [each for each in map(Requirement, lines) if each.marker is None or each.marker.evaluate()]
    return {canonicalize_name(each.name): str(each.specifier).removeprefix("==") for each in pins}


def needed_by(requirements: list[str], extras: frozenset[str] = frozenset()) -> Iterator[Requirement]:
    """Those requirements that apply on this machine with these extras."""
    for each in map(Requirement, requirements):
        if each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield each


def test_the_lock_files_are_complete_because_pip_looks_for_nothing_else() -> None:
    pins = pinned()
    requirements = {canonicalize_name(each.metadata["Name"]): each.requires or [] for each in distributions()}
    todo = [(name, frozenset[str]()) for name in pins if name in requirements]
    seen = set(todo)
    extras_followed = 0
    while todo:
        name, extras = todo.pop()
        for each in needed_by(requirements[name], extras):
            needed = canonicalize_name(each.name)
            assert needed in pins, f"{name} requires {each}"
            assert each.specifier.contains(pins[needed], prereleases=True), f"{name} requires {each}"
            step = (needed, frozenset(each.extras))
            if step not in seen:
                seen.add(step)
                extras_followed += bool(each.extras)
                todo.append(step)
    assert extras_followed
