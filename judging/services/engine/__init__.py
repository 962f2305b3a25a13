"""Judging by models: claim, plan, ask, record, finish; safe to kill at any point.

The rows are the truth. An evaluation is leased while somebody works on it; its
verdicts say which calls are done. Whoever takes an evaluation over after a crash
asks only what has no verdict yet, and what was answered before comes from the
kept replies.
"""
