"""Copies a template of a service under another name."""

import re
from collections.abc import Mapping
from typing import Final

from assistant.flows.loading.checklist import BUILT_IN
from assistant.flows.loading.importing import PACKAGE
from assistant.flows.loading.snapshot import ServiceFiles

TEMPLATES: Final[Mapping[str, str]] = {"minimal": "미니멀", "form": "양식"}
"""The services that are templates: a talk, and slots with a yes and a step. Their Korean titles."""


def copied(template: ServiceFiles, name: str) -> Mapping[str, bytes]:
    """The files of a service with this name. Its modules, classes and words have the name in place of the template's.

    Args:
        template: the files of the template.
        name: the name, which ``is_service_name`` allows.
    """
    former, spoken = template.name, name.replace("_", " ")
    camel = "".join(each.capitalize() for each in name.split("_"))
    new_words = (
        (rf"{re.escape(BUILT_IN)}\.{former}\b", f"{PACKAGE}.{name}"),
        (rf'(?<=name="){former}(?=")|(?<=name: ){former}$', name),
        (rf"\b{former.capitalize()}(?=[A-Z])", camel),
        (rf"\b{former}\b|{TEMPLATES[former]}", spoken),
    )
    files: dict[str, bytes] = {}
    for path, content in template.files.items():
        text = content.decode("utf-8")
        for before, after in new_words:
            text = re.sub(before, after, text, flags=re.MULTILINE)
        files[path] = text.encode("utf-8")
    return files
