"""Reading aloud in the window: what is read, and the bar that steers it (D-09)."""
