"""How the learned judge is made: data readers, the network, its fitting, what it is worth, and its card.

Not part of the package. `README.md` beside this file tells the whole way; `python -m training` walks it.
"""
