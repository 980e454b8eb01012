"""Running and ringing timers in the window. Imported by the main window only."""
