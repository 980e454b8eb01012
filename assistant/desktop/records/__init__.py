"""Lists of records that stay fast with ten thousand rows, and the pages that are made of them."""
