"""Notices an engine that does nothing any more. Imported by ``thread`` only."""
