"""Whole conversations: their titles, the search in the open one, files, printing, and the page that manages them."""
