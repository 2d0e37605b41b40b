"""The project's container images: grounds, the application's layer, bills of materials, and pushing them."""
