"""Keeps the conversations and the memory of several devices of one user alike, through a server that reads nothing."""
