"""The wire of other services: thin routers that translate foreign words into ours and decide nothing."""
