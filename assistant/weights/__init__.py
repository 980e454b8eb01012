"""Weights: the available models, their sources, and the check of their files. Imports core only."""
