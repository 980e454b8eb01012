"""The side bar: all conversations, found, opened, named and deleted. Imported by the main window only."""
