"""From a repository to one healthy modern revision with one environment: resolution, recipe, build, preflight."""
