"""Turns texts into vectors that are near each other if the texts mean the same."""
