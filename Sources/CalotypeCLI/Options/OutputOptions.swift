import ArgumentParser

/// How results are written.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Write one JSON object a line to standard output, and nothing else there.")
    var json = false
}
