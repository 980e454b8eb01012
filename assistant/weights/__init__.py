"""Weights: which models there are, where they come from, whether they are whole. Imports core only."""
