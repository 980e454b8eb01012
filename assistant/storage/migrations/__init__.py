"""The shape of the database: its numbered steps, taking them, and the copies made before. Imported by ``storage``."""
