"""The domain of the account of several devices."""
