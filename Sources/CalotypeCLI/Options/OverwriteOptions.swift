import ArgumentParser

/// The option to replace an existing file, of commands that write one file.
struct OverwriteOptions: ParsableArguments {
    @Flag(help: "Replace the output if it exists; an input is never replaced.")
    var overwrite = false

    var existing: ExistingFile { overwrite ? .replaced : .refused }
}
