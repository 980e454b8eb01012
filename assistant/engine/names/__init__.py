"""The names by which agents are called, as the window shows and changes them."""
