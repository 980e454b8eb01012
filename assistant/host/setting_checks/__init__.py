"""What ``config.toml`` may name: values that other parts declare, and names that depend on other entries."""
