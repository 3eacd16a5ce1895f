import ArgumentParser

/// Whether a command that writes one file may replace another.
struct OverwriteOptions: ParsableArguments {
    @Flag(help: "Replace the output if it exists; an input is never replaced.")
    var overwrite = false

    /// What happens to a file that is at the path of the output.
    var existing: ExistingFile { overwrite ? .replaced : .refused }
}
