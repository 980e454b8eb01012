"""The side bar: lists, searches, opens, renames and deletes conversations. Imported by the main window only."""
