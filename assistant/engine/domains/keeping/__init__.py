"""The domains of what is kept and of the program: how much there is, how it is erased, what it is made of."""
