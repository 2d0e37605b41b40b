"""One strategy a file; ``construct.ladder`` says which are used and in which order."""
