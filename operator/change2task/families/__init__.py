"""Five task families over one construction and validation core: what each asks for, accepts, and is judged by."""
