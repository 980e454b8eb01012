"""What the signs of Markdown mean in Korean and English text, for window, terminal and voice (D-05, V-14)."""
