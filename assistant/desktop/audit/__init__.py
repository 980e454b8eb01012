"""What tools have done, and who asked."""
