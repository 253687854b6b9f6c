"""The queries, structures and families that come with purex, one per file, each a plugin like any other."""
