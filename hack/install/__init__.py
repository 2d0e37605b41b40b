"""Installing the product on a cluster from this checkout: the chart, with what the cluster at hand needs to be told."""
