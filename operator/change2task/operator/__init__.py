"""The operator: resources on a cluster, driven to what they ask for, level by level.

Events only say that a key is worth a look. Every look gathers all there is, decides purely, acts, and writes status
once.
"""
