"""Requests for guided flows and their services."""
