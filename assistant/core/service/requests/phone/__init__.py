"""Requests for the web page on the user's phones."""
