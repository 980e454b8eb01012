"""What happened, in the database: the audit log of tool calls."""
