import ArgumentParser
import CalotypeCache

struct CacheLimitsCommand: DiskCacheCommand {
    static let configuration = CommandConfiguration(
        commandName: "limits",
        abstract: "Shows or sets the limits and the expiry stored in a cache directory.",
        discussion: """
            Omitted limits stay unchanged. Lower limits evict at once. Programs that open the directory with \
            limits of their own overwrite these.
            """
    )

    @Option(
        name: .customLong("size"),
        parsing: .unconditional,
        help: ArgumentHelp("Maximum bytes, such as 2GB.", valueName: "bytes")
    )
    var sizeLimit: ByteCountArgument?

    @Option(
        name: .customLong("count"),
        parsing: .unconditional,
        help: ArgumentHelp("Maximum number of entries.", valueName: "count")
    )
    var countLimit: Int?

    @Option(
        name: .customLong("expire-after"),
        parsing: .unconditional,
        help: ArgumentHelp("Time from writing to expiry, such as 12h or 30d.", valueName: "age")
    )
    var age: AgeArgument?

    @Option(
        name: .customLong("expire-unused"),
        parsing: .unconditional,
        help: ArgumentHelp("Time from the last use to expiry, such as 12h or 30d.", valueName: "age")
    )
    var idleAge: AgeArgument?

    @Flag(help: "Disable expiry by age.")
    var neverExpire = false

    @OptionGroup var cache: CacheOptions
    @OptionGroup var output: OutputOptions

    private static let table = Table(columns: [
        .init("SIZE", "sizeLimit", width: 9, alignsRight: true),
        .init("COUNT", "countLimit", width: 9, alignsRight: true),
        .init("EXPIRY", "expiry", width: 0),
    ])

    func validate() throws {
        guard (countLimit ?? 0) >= 0 else { throw ValidationError("--count must be at least 0.") }
        guard [age != nil, idleAge != nil, neverExpire].count(where: { $0 }) <= 1 else {
            throw ValidationError("--expire-after, --expire-unused and --never-expire exclude each other.")
        }
    }

    func execute(_ console: Console, on cache: DiskCache) async throws -> CommandExitCode {
        // The default limit depends on the existing entries.
        _ = try await cache.usage()
        var settings = cache.settings ?? DiskSettings()
        let old = settings
        if let sizeLimit { settings.sizeLimit = sizeLimit.count }
        if let countLimit { settings.countLimit = countLimit }
        if let expiry { settings.expiry = expiry }
        if settings != old { try await cache.update(settings) }
        let record = Record([
            ("sizeLimit", settings.sizeLimit.map { .bytes($0) }),
            ("countLimit", settings.countLimit.map { .count($0) }),
            ("expiry", .text(settings.expiry.text)),
        ])
        try await console.write(record, as: Self.table)
        return .success
    }

    private var expiry: Expiry? {
        if neverExpire { return .never }
        return age.map { .afterWrite($0.duration) } ?? idleAge.map { .afterAccess($0.duration) }
    }
}

extension Expiry {
    /// The expiry for people: `30 days after the last use`.
    fileprivate var text: String {
        switch self {
        case .afterWrite(let duration): "\(duration.ageText) after writing"
        case .afterAccess(let duration): "\(duration.ageText) after the last use"
        case .never: "never"
        }
    }
}

extension Duration {
    /// The duration in the largest unit that gives a whole number.
    fileprivate var ageText: String {
        let seconds = components.seconds
        for (unit, length) in [("day", Int64(86_400)), ("hour", 3600), ("minute", 60)]
        where seconds >= length && seconds % length == 0 {
            return "\(seconds / length) \(unit)\(seconds == length ? "" : "s")"
        }
        return "\(seconds) seconds"
    }
}
