"""The gates: each one file with one verdict over evidence; ``qualify`` has them asked one after another.

Verdicts over what was read or observed are pure. What has code run for it takes a runner of passes, and no other gate
does. A gate never changes a candidate. It says yes or no with a reason and keeps what it looked at, also when it says
yes, so that every verdict can be checked from the record alone.
"""
