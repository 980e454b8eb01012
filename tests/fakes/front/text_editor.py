"""A text editor in a process of its own, on the X server of the environment: prints its text when it changes."""

import json
import sys

from PySide6.QtWidgets import QApplication, QPlainTextEdit


def main() -> int:
    """Run the editor until its process is ended."""
    application = QApplication([])
    editor = QPlainTextEdit()
    editor.textChanged.connect(lambda: print(json.dumps(editor.toPlainText()), flush=True))
    editor.show()
    editor.activateWindow()
    editor.setFocus()
    print("ready", flush=True)
    return application.exec()


if __name__ == "__main__":
    sys.exit(main())
