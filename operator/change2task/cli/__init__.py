"""Commands for one machine. They read input, call the pipeline and show what came of it; they decide nothing."""
