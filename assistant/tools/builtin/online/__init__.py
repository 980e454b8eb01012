"""Services outside the computer: the web, and image models."""
