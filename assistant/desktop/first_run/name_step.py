"""The step of the wake word, or of a name of one's own that is said three times."""

from typing_extensions import override

from assistant.core.records.names import EnrolmentStage
from assistant.core.updates import EnrolmentChanged, NamesChanged, Update
from assistant.desktop.first_run.step import MicrophoneUse, VoiceFacts
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.names.names_page import NamesPage


class NameStep(NamesPage):
    """The page of names, with the word that wakes Sori now above it."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs)
        self.done = False
        self.title.setText(self.texts("desktop.first.name.title"))
        self.note.hide()  # It speaks of several agents, which somebody new has not got.
        self.now = paragraph("")
        self.column.insertWidget(0, self.now)
        self.show_voice(VoiceFacts())

    def show_voice(self, facts: VoiceFacts) -> None:
        """Say how Sori is called now."""
        called = "" if facts.devices is None else facts.devices.called
        if facts.hearing is MicrophoneUse.ON and called:
            self.now.setText(self.texts("desktop.first.name.now", wake_word=called))
        else:
            self.now.setText(facts.words(self.texts))

    @override
    def show_update(self, update: Update) -> None:
        super().show_update(update)
        enrolled = isinstance(update, EnrolmentChanged) and update.enrolment.stage is EnrolmentStage.DONE
        if enrolled or isinstance(update, NamesChanged):
            self.done = True
