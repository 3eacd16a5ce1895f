import ArgumentParser

/// The root command, which only names its subcommands.
struct CalotypeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calotype",
        abstract: "Loads, caches, inspects, converts and serves images.",
        discussion: """
            Results go to standard output, everything else to standard error; with --json, standard output \
            holds one JSON object a line and nothing else.

            Exit status:
              0    success
              1    a load, a decode or a write failed, perhaps not all of them
              2    invalid arguments
              3    the cache is damaged
              4    not in the cache
              130  interrupted
            """,
        version: "calotype \(Version.current)",
        subcommands: [
            LoadCommand.self, InfoCommand.self, DecodeCommand.self, ConvertCommand.self,
            TransformsCommand.self,
            ShowCommand.self, CacheCommand.self, ServeCommand.self, SignCommand.self, PurgeCommand.self,
            HealthCommand.self,
            CodecWorkerCommand.self,
        ]
    )
}
