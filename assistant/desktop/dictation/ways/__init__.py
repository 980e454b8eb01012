"""Ways to type into the program that has the keyboard: one file for each kind of desktop."""
