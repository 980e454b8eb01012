"""How much models were used, and what it cost."""
