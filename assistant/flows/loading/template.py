"""Copies the template of a service under another name."""

from collections.abc import Mapping
from typing import Final

from assistant.flows.loading.checklist import BUILT_IN
from assistant.flows.loading.importing import PACKAGE
from assistant.flows.loading.snapshot import ServiceFiles

TEMPLATE: Final = "minimal"
"""Name of the service that is the template."""


def copied(template: ServiceFiles, name: str) -> Mapping[str, bytes]:
    """The files of a service with this name. Its modules, classes and words have the name in place of the template's.

    Args:
        template: the files of the template.
        name: the name, which ``is_service_name`` allows.
    """
    spoken = name.replace("_", " ")
    camel = "".join(each.capitalize() for each in name.split("_"))
    new_words = (
        (f"{BUILT_IN}.{TEMPLATE}", f"{PACKAGE}.{name}"),
        (f'name="{TEMPLATE}"', f'name="{name}"'),
        (f"name: {TEMPLATE}\n", f"name: {name}\n"),
        (TEMPLATE.capitalize(), camel),
        (TEMPLATE, spoken),
        ("미니멀", spoken),
    )
    files: dict[str, bytes] = {}
    for path, content in template.files.items():
        text = content.decode("utf-8")
        for before, after in new_words:
            text = text.replace(before, after)
        files[path] = text.encode("utf-8")
    return files
