"""The gates: each one file with one pure verdict over evidence; only ``lifecycle`` has code run for it.

A gate never changes a candidate. It says yes or no with a reason and keeps what it looked at, also when it
says yes, so that every verdict can be checked from the record alone.
"""
