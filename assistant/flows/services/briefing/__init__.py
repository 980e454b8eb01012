"""Tells what is due and whose birthday it is, today and in the coming days."""
