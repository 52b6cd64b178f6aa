"""What a user calls: one module a command, with add_arguments(parser) and run(arguments)."""
