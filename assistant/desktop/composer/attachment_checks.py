"""Tells at the chips of attached files which of them the model in use would not get, and what to do."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from assistant.core.display.remedies import for_window
from assistant.core.service.requests.models import CheckFiles, FileHead, FileWarning
from assistant.core.service.requests.turns import PreparedFile, PrepareFile
from assistant.core.texts import Texts
from assistant.desktop.asking import WindowRequests
from assistant.desktop.composer.attachment_bar import AttachmentBar
from assistant.desktop.composer.attachment_chips import AttachmentChip
from assistant.desktop.kit.answer_blocks import TintedIcon
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.flow_layout import FlowLayout
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme


class FileWarningLine(QWidget):
    """What to do about files that would not be sent, and a button for each remedy. Hidden without any."""

    model_wanted = Signal()
    project_wanted = Signal()

    def __init__(self, texts: Texts, icons: Icons, theme: Theme) -> None:
        super().__init__()
        self.words: QLabel = paragraph("")
        self.words.setObjectName("hint")
        self.choose = QPushButton(texts("desktop.attach.choose_model"))
        self.choose.setProperty("flat", True)
        self.choose.clicked.connect(self.model_wanted)
        self.project = QPushButton(texts("desktop.attach.add_to_project"))
        self.project.setProperty("flat", True)
        self.project.clicked.connect(self.project_wanted)
        buttons = FlowLayout(8)
        for each in (self.project, self.choose):
            buttons.addWidget(each)
        column = QVBoxLayout()
        column.setSpacing(4)
        column.addWidget(self.words)
        column.addLayout(buttons)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        line.addWidget(TintedIcon(icons, theme, "warning", "warning", 16), 0, Qt.AlignmentFlag.AlignTop)
        line.addLayout(column, 1)
        self.hide()

    def show_remedies(self, warnings: Sequence[FileWarning], *, for_project: bool = False) -> None:
        """Show what helps against these warnings.

        Args:
            warnings: of the files that would not be sent.
            for_project: whether one of them can become a file of a project.
        """
        other_model = any(each.other_model for each in warnings)
        self.words.setText(" ".join(dict.fromkeys(for_window(each.remedy).words for each in warnings if each.remedy)))
        self.choose.setVisible(other_model)
        self.project.setVisible(for_project)
        self.setVisible(bool(self.words.text()) or other_model or for_project)


class AttachmentChecks:
    """Has the engine check the attached files, after each change of them and of the model.

    Args:
        bar: the files.
        line: shows what to do.
        ask: sends requests.
        conversation: gives the id of the shown conversation; empty before the first one.
        texts: the user's words.
    """

    def __init__(
        self,
        bar: AttachmentBar,
        line: FileWarningLine,
        ask: WindowRequests,
        conversation: Callable[[], str],
        texts: Texts,
    ) -> None:
        self._bar, self._line, self._ask, self._conversation = bar, line, ask, conversation
        self._texts = texts
        self._asked = 0
        self._failures: dict[AttachmentChip, FileWarning] = {}
        self.for_project: list[AttachmentChip] = []
        """The files that are too long to be sent, and can become files of a project."""
        bar.changed.connect(self.check)

    def check(self) -> None:
        """Check the files anew."""
        self._asked += 1
        chips, number = self._bar.chips, self._asked
        self._failures, self.for_project = {}, []
        self._line.show_remedies(())
        if not chips:
            return

        def show(warnings: Sequence[FileWarning | None]) -> None:
            for chip, warning in zip(chips, warnings, strict=True):
                self._show(number, chip, warning)

        heads = tuple(
            FileHead(name=each.name, mime_type=each.mime_type, size=each.size, head=each.head)
            for each in (chip.attachment for chip in chips)
        )
        # Without an answer the files are judged when they are sent, as before.
        self._ask(CheckFiles(conversation=self._conversation(), files=heads), show, lambda _: None)
        for chip in chips:
            self._prepare(number, chip)

    def _prepare(self, number: int, chip: AttachmentChip) -> None:
        """Have the text of a file read and its tokens counted (K-01)."""
        kind = chip.attachment.mime_type.partition("/")[0]
        if kind in ("image", "audio", "video"):
            return

        def show(prepared: PreparedFile) -> None:
            if number == self._asked:
                chip.show_prepared(self._words(prepared))
                self.for_project += [chip] if prepared.for_project else []
                self._show(number, chip, prepared.failure)

        request = PrepareFile(conversation=self._conversation(), file=chip.attachment, id=chip.id)
        self._ask(request, show, lambda _: None)

    def _words(self, prepared: PreparedFile) -> str:
        tokens = self._texts("desktop.attach.tokens", tokens=f"{prepared.tokens:,}") if prepared.tokens else ""
        return " · ".join(filter(None, (tokens, *prepared.notes)))

    def _show(self, number: int, chip: AttachmentChip, warning: FileWarning | None) -> None:
        if number != self._asked:
            return
        if warning is not None:
            self._failures[chip] = warning
        known = self._failures.get(chip)
        chip.warn("" if known is None else known.message)
        self._line.show_remedies(tuple(self._failures.values()), for_project=bool(self.for_project))
