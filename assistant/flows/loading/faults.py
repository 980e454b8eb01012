"""What is wrong with a service: where, and under which key its words and its remedy are."""

import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceFault:
    """What is wrong with a service.

    Attributes:
        key: the words are the texts ``flow_service.fault.KEY`` and ``flow_service.remedy.KEY``.
        file: the file, relative to the folder of the service; empty for the folder itself.
        line: the line, from 1; 0 for the whole file.
        values: the fields of the words.
        fatal: whether the service cannot be used with it.
    """

    key: str
    file: str = ""
    line: int = 0
    values: Mapping[str, str] = field(default_factory=dict)
    fatal: bool = True


class ServiceFaultError(Exception):
    """A service cannot be used.

    Attributes:
        fault: why.
    """

    def __init__(self, fault: ServiceFault) -> None:
        self.fault = fault
        super().__init__(f"{fault.file}:{fault.line}: {fault.key} {dict(fault.values)}")


def unusable(key: str, at: str = "", line: int = 0, **values: str) -> ServiceFaultError:
    """The error of a fault.

    Args:
        key: see ``ServiceFault``.
        at: the file of the fault.
        line: see ``ServiceFault``.
        values: see ``ServiceFault``.
    """
    return ServiceFaultError(ServiceFault(key=key, file=at, line=line, values=values))


def place_of(folder: Path, error: BaseException) -> tuple[str, int] | None:
    """The file below a service's folder, and the line, from which an error came; ``None`` if it came from elsewhere."""
    own = [each for each in traceback.extract_tb(error.__traceback__) if Path(each.filename).is_relative_to(folder)]
    return (Path(own[-1].filename).relative_to(folder).as_posix(), own[-1].lineno or 0) if own else None
