"""Finds services, in the package and in the user's folder, and loads those that can be loaded (F-06)."""
