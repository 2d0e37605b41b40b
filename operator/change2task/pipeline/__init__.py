"""From manifests to verified tasks: the order of the stages, what each is keyed by, and who is told.

One driver a resource. It gathers, has the rooms decide, and writes status once; it holds no rule of the method
itself, so that a cluster's reconcilers can drive the same stages.
"""
