"""Three versions of one file made into a fourth: the healthy file without the change. Pure, on bytes.

`base` is always the file after the change, `ours` the file of the healthy base, `theirs` the file before the change, so
that a three-way merge undoes the change. Where the merge conflicts, resolvers know what a general merger cannot: that
the older side is wanted. Every bound here is a count of steps and none is a clock, so that a result never depends on
the machine.

align       which elements of two sequences belong together
diff3       stretches that agree, that one side changed, or that clash
words       the words of a stretch, whatever its language
clash       what a resolver is given and answers
whitespace, gone, imported, worded, owned, dropped   one resolver each
stack       a whole file merged with some resolvers
layout      line ends, byte order marks and final newlines out of the way
"""
