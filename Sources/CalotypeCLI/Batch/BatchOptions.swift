import ArgumentParser

/// The options of commands that process many images.
struct BatchOptions: ParsableArguments {
    @Option(
        name: [.customShort("j"), .customLong("concurrency")],
        parsing: .unconditional,
        help: ArgumentHelp(
            "Images at once, 1...1000; default: 8 for load, one for each core for convert.",
            valueName: "count"
        )
    )
    var concurrency: Int?

    @Flag(
        name: .shortAndLong,
        help: """
            Process the images in folders and subfolders; --output must be another folder.
            """
    )
    var recursive = false

    @Option(
        name: .customLong("name"),
        help: ArgumentHelp(
            "File names in the output folder, such as {name}-{width}; default: {name}.",
            discussion: """
                The fields are {name} (of the source), {digest} (of its URL, or its path without links), \
                {number} (in the list), {width}, {height} and {format}; the extension is added. If two files \
                would have the same name, both get the digest.
                """,
            valueName: "template"
        ),
        completion: .list(["{name}", "{name}-{digest}", "{name}-{width}x{height}", "{number}"]),
        transform: { try NameTemplate($0) }
    )
    var template: NameTemplate?

    @Flag(help: "Replace existing outputs; an input is never replaced.")
    var overwrite = false

    @Flag(help: "Skip images whose output exists, to continue an interrupted batch.")
    var skipExisting = false

    func validate() throws {
        guard (1...1000).contains(concurrency ?? 1) else {
            throw ValidationError("--concurrency must be 1...1000.")
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

    var existing: ExistingFile { overwrite ? .replaced : skipExisting ? .skipped : .refused }
}
