"""The process that starts, watches, kills and reaps the children of one runner.

It is a small Python of its own (`python -I -S`), so it imports the standard library only: a fork of
it costs the same however large the embedding program is, its main thread outlives every child (the
parent-death signal is tied to a thread), and when the embedding program dies it takes the children
with it.
"""
