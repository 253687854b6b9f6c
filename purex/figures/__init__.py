"""The figures of purex; matplotlib is imported when one is drawn."""
