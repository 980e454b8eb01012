"""The page of the account of several devices."""
