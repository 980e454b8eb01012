"""The page of privacy."""

from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.privacy.kept_list import KeptList
from assistant.desktop.privacy.left_list import LeftList
from assistant.desktop.privacy.what_is_on import WhatIsOn
from assistant.desktop.records.records_part import PartedPage


class PrivacyPage(PartedPage):
    """What left this computer, what is kept on it, what is on."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "privacy", {"left": LeftList, "kept": KeptList, "on": WhatIsOn})
