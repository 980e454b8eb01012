"""Services outside the computer: the web."""
