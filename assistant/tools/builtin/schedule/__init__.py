"""Time: the clock, timers, alarms and reminders."""
