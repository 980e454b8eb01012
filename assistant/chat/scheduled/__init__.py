"""Scheduled requests: what is asked for, keeping them, and the words of the answers."""
