"""Widgets, icons, words and colours that every part of the window uses."""
