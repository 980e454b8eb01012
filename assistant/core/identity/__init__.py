"""Names and order of rows on several devices: UUIDv7, hybrid logical time. Imported by ``storage`` and ``sync``."""
