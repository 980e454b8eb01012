"""What was typed and not yet sent, kept for each conversation. Imported by the main window only."""
