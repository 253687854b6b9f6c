"""Compiled best responses, one query a file: the closed forms of the queries as loops over arms."""
