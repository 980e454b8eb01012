"""What happened, in the database: the audit log of tool calls, egress, the use of models, and traces of turns."""
