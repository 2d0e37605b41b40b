# Surveys the events of all rounds of `go test -json` and prints what is left to do, one line a piece of work:
#   whole PACKAGE             nothing of it ever ran
#   list PACKAGE              its tests did not all run: ask for their names
#   bulk PACKAGE NAME|NAME    tests that never started
#   alone PACKAGE NAME        a test that started and did not end, or the first of tests that never start together (one
#                             of them ends go before it can tell of any): run it by itself, once
# Go writes the fields of an event in a fixed order, Output last, so the first match of a key is the key.

function field(key,    start, rest) {
    start = index($0, "\"" key "\":\"")
    if (!start) return ""
    rest = substr($0, start + length(key) + 4)
    return substr(rest, 1, index(rest, "\"") - 1)
}

function meet(package) {
    if (!(package in met)) {
        met[package] = 1
        order[++packages] = package
    }
}

BEGIN { head = "{\"c2t\":\"" nonce "\"," }

index($0, head) == 1 {
    event = field("e"); package = field("package"); name = field("test")
    if (event == "package") meet(package)
    if (event == "whole") tried[package] = 1
    if (event == "listing") asked[package] = 1
    if (event == "listed") { listed[package] = 1; names[package] = field("tests") }
    if (event == "bulk") bulked[package] = field("tests")
    if (event == "alone") alone[package, name] = 1
    solo = event == "alone"
    next
}

index($0, "{\"Time\":\"") == 1 {
    action = field("Action"); package = field("Package"); name = field("Test")
    meet(package)
    touched[package] = 1
    # A process that exits with 0 in the middle of a test gets its package's own end reported as that test's.
    if (action != "output" && closing[package]) name = ""
    closing[package] = index($0, "\"Output\":\"ok  \\t" package "\\t") || index($0, "\"Output\":\"FAIL\\t" package "\\t")
    if (name == "") {
        if (action == "skip" || index($0, "\"FailedBuild\":\"") || index($0, " failed]\\n\"}")) settled[package] = 1
        # That one test by itself came to its end says nothing about the others.
        if (!solo && (index($0, "\"Output\":\"PASS\\n\"") || index($0, "\"Output\":\"FAIL\\n\""))) settled[package] = 1
    } else if (index(name, "/") == 0) {
        if (action == "run" && !((package, name) in started)) {
            started[package, name] = 1
            tests[++count] = package " " name
        }
        if (action == "pass" || action == "fail" || action == "skip") ended[package, name] = 1
    }
}

END {
    for (number = 1; number <= packages; number++) {
        package = order[number]
        if (package in settled) continue
        if (!(package in touched)) {
            if (!(package in tried)) print "whole " package
            continue
        }
        if (!(package in listed)) {
            if (!(package in asked)) print "list " package
            continue
        }
        rest = ""
        amount = split(names[package], each, " ")
        for (place = 1; place <= amount; place++)
            if (!((package, each[place]) in started) && !((package, each[place]) in alone))
                rest = rest (rest == "" ? "" : "|") each[place]
        if (rest == "") continue
        if (rest != bulked[package]) print "bulk " package " " rest
        else print "alone " package " " substr(rest, 1, index(rest "|", "|") - 1)
    }
    for (number = 1; number <= count; number++) {
        split(tests[number], each, " ")
        if (!((each[1], each[2]) in ended) && !((each[1], each[2]) in alone)) print "alone " tests[number]
    }
}
