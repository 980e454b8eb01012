"""The way of the user's phones to the web page."""
