import CalotypeSupport

/// The executable: everything of interest is in ``Program``.
@main enum Main {
    static func main() async {
        exit(await Program.run(Array(CommandLine.arguments.dropFirst())))
    }
}
