"""Requests for the account of several devices."""
