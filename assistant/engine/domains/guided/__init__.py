"""Who carries out the requests for guided flows and their services."""
