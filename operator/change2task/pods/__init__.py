"""What runs in pods: the trusted containers before and after those that run repository code.

Each is one command of ``python -m change2task.pods``. None has a token; only those that fetch or build have a network.
"""
