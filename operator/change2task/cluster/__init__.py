"""What the operator asks of a cluster: manifests as values, failures as reasons, and thin clients."""
