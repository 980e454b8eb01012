"""``python -m assistant``: Sori as an installed package, whose environment is the caller's."""

import sys

from assistant.app.start import start_installed

if __name__ == "__main__":
    sys.exit(start_installed())
