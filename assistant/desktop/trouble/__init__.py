"""A window for errors that prevent the main window from opening. Imported by app only."""
