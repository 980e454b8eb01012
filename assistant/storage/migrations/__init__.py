"""The database's schema as numbered steps, running the steps, and backups. Imported by ``storage``."""
