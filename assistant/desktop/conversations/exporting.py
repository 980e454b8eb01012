"""Writes conversations into a file that the user chooses."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QStandardPaths
from PySide6.QtWidgets import QFileDialog, QWidget

from assistant.core.display.file_names import shown_name
from assistant.core.service.requests.conversations import ExportForm, WriteConversations
from assistant.core.texts import Texts
from assistant.desktop.asking import WindowRequests

_ENDINGS = {ExportForm.MARKDOWN: ".md", ExportForm.JSON: ".json"}


def export(
    texts: Texts,
    ask: WindowRequests,
    parent: QWidget,
    tell: Callable[[str], None],
    conversations: tuple[str, ...],
    title: str,
) -> None:
    """Ask for a file and its form, Markdown or JSON, and have the conversations written.

    Args:
        texts: the user's texts.
        ask: sends the request.
        parent: waits for the answer.
        tell: takes what was written, for the user.
        conversations: their ids; empty for all.
        title: the name that is offered for the file.
    """
    filters = {texts(f"desktop.conversations.form.{form.value}"): form for form in _ENDINGS}
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    dialog = QFileDialog(parent, texts("desktop.conversations.export_title"), folder, ";;".join(filters))
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.selectFile(shown_name(title).removesuffix(".md") + ".md")

    def follow(chosen: str) -> None:
        name = Path(dialog.selectedFiles()[0]).name if dialog.selectedFiles() else shown_name(title)
        bare = next((name.removesuffix(each) for each in _ENDINGS.values() if name.endswith(each)), name)
        dialog.selectFile(bare + _ENDINGS[filters[chosen]])

    def write(path: str) -> None:
        ending = Path(path).suffix.casefold()
        form = next((form for form, each in _ENDINGS.items() if each == ending), filters[dialog.selectedNameFilter()])
        words = partial(texts, "desktop.conversations.written", path=path)
        ask(
            WriteConversations(path=path, conversations=conversations, form=form),
            lambda count: tell(words(count=count)),
        )

    dialog.filterSelected.connect(follow)
    dialog.fileSelected.connect(write)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()
