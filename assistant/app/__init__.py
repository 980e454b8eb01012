"""Composition root: wiring, engine thread, command line, window start, models, doctor. Imported by nobody."""
