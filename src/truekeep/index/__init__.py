"""The derived index of a space: what recall reads. `IndexCache` gives views of it, kept up to date."""
