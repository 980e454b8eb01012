"""Where the keyboard is after a click. Imported by the main window only."""
