"""Alarms and reminders: what is asked for, setting and cancelling them, and the words of the answers."""
