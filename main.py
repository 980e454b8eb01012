"""Starts Sori. The first start makes everything that it needs; see ``assistant/setup``.

Usage: ``python3 main.py [test | listen | chat | models | doctor | toggle] [--help]``
"""

import sys

MINIMUM_PYTHON = (3, 11)


def main() -> int:
    """Check the Python version in words that old Pythons understand, then hand over."""
    if sys.version_info < MINIMUM_PYTHON:
        from assistant.setup.old_python import explain

        sys.stderr.write(explain(sys.version_info, MINIMUM_PYTHON, sys.platform))
        return 1
    from assistant.app.start import start

    return start(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
