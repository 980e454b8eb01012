"""What Sori shows without its window: the quick window, and the overlay of a called Sori (D-01)."""
