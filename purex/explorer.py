"""Ask and tell: the same rules in a real experiment."""
