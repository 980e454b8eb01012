"""Endpoint detection: the end-of-turn model and the policy that combines the evidence."""
