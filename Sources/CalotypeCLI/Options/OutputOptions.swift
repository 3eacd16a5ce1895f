import ArgumentParser

struct OutputOptions: ParsableArguments {
    @Flag(help: "Write only JSON objects to standard output, one per line.")
    var json = false
}
