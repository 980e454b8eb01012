"""Timers, alarms and reminders in a list."""
