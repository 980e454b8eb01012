"""Reads a remembered line as one attribute and its value, so that a new value can replace an old one. Pure."""
