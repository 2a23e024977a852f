"""Pictures of a tree. Each reads a finished Tree and gives text; none prints or keeps anything."""
