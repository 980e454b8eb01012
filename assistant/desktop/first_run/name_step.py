"""The step of the wake word, or of a name of one's own that is said three times."""

from typing_extensions import override

from assistant.core.display.words import wake_name
from assistant.core.records.names import EnrolmentStage
from assistant.core.updates import EnrolmentChanged, Update
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
        self.now = paragraph("")
        self.column.insertWidget(0, self.now)
        self.show_voice(VoiceFacts())

    def show_voice(self, facts: VoiceFacts) -> None:
        """Say how Sori is called now."""
        wake_word = "" if facts.devices is None else facts.devices.wake_word
        if facts.hearing is MicrophoneUse.ON and wake_word:
            self.now.setText(self.texts("desktop.first.name.now", wake_word=wake_name(wake_word)))
        else:
            self.now.setText(facts.words(self.texts))

    @override
    def show_update(self, update: Update) -> None:
        super().show_update(update)
        if isinstance(update, EnrolmentChanged) and update.enrolment.stage is EnrolmentStage.DONE:
            self.done = True
