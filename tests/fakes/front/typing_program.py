"""Types changes, given as JSON on its standard input, and prints what is in the clipboard when all is typed."""

import json
import os
import sys

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from assistant.desktop.dictation.typist import Typist
from assistant.desktop.dictation.ways.choice import ways


def main() -> int:
    """Type each line's change, then wait until the clipboard has its former content."""
    application = QApplication([])
    clipboard = application.clipboard()
    clipboard.setText("former")
    typist = Typist(ways(sys.platform, os.environ), clipboard)
    typist.begin()
    for erased, text in json.loads(sys.stdin.readline()):
        typist.take(erased, text)
    typist.hold(held=False)

    def look() -> None:
        if typist.idle:
            print(json.dumps(clipboard.text()), flush=True)
            application.quit()

    looking = QTimer(interval=20)
    looking.timeout.connect(look)
    looking.start()
    return application.exec()


if __name__ == "__main__":
    sys.exit(main())
