"""Timers in the window: how long they still run, and what rings. Imported by the main window only."""
