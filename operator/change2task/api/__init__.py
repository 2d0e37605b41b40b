"""The contract: resources, reasons and conditions, free of any I/O, so that a cluster and a laptop mean the same."""
