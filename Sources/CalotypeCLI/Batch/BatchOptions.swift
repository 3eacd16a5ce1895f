import ArgumentParser

/// The options of commands that process many images.
struct BatchOptions: ParsableArguments {
    @Option(
        name: [.customShort("j"), .customLong("concurrency")],
        parsing: .unconditional,
        help: ArgumentHelp(
            "The number of images at once, 1...1000; 8 for load, and one for each core for convert.",
            valueName: "count"
        )
    )
    var concurrency: Int?

    @Flag(
        name: .shortAndLong,
        help: """
            Take the images of folders and of those below; --output keeps the tree, and is another folder.
            """
    )
    var recursive = false

    @Option(
        name: .customLong("name"),
        help: ArgumentHelp(
            "The names of files in a folder, such as {name}-{width}; {name} unless given.",
            discussion: """
                The fields are {name} (that of the source), {digest} (of its URL, or its path without \
                links), {number} (in the list), {width}, {height} and {format}; the extension is added. \
                Where two files would have the same name, both get the digest.
                """,
            valueName: "template"
        ),
        completion: .list(["{name}", "{name}-{digest}", "{name}-{width}x{height}", "{number}"]),
        transform: { try NameTemplate($0) }
    )
    var template: NameTemplate?

    @Flag(help: "Replace existing outputs; an input is never replaced.")
    var overwrite = false

    @Flag(help: "Skip the images whose outputs exist, to go on with a batch that was interrupted.")
    var skipExisting = false

    func validate() throws {
        guard (1...1000).contains(concurrency ?? 1) else {
            throw ValidationError("--concurrency is 1...1000.")
        }
        guard !overwrite || !skipExisting else {
            throw ValidationError("--overwrite and --skip-existing exclude each other.")
        }
        guard !skipExisting || template?.isStable ?? true else {
            throw ValidationError(
                "--skip-existing needs {name} or {digest} in --name: {number} names another image once "
                    + "the list has changed."
            )
        }
    }

    /// The treatment of files that exist at the paths of outputs.
    var existing: ExistingFile { overwrite ? .replaced : skipExisting ? .skipped : .refused }
}
