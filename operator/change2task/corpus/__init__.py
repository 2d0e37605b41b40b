"""What is kept and given away: the store of resources and evidence, grading, and what people are shown."""
