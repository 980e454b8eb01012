"""What the keyboard does in the window as a whole. Imported by the main window only."""
