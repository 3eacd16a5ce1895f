import ArgumentParser
import CalotypeCache

/// `calotype cache limits`.
struct CacheLimitsCommand: DiskCacheCommand {
    static let configuration = CommandConfiguration(
        commandName: "limits",
        abstract: "Shows the limits and the expiry that a cache directory keeps for itself, or sets them.",
        discussion: """
            What is not named stays as it is. Lower limits evict at once; programs that have the directory \
            open with limits of their own write those when they open it next.
            """
    )

    @Option(
        name: .customLong("size"),
        parsing: .unconditional,
        help: ArgumentHelp("The most bytes, such as 2GB.", valueName: "bytes")
    )
    var sizeLimit: ByteCountArgument?

    @Option(
        name: .customLong("count"),
        parsing: .unconditional,
        help: ArgumentHelp("The most entries.", valueName: "count")
    )
    var countLimit: Int?

    @Option(
        name: .customLong("expire-after"),
        parsing: .unconditional,
        help: ArgumentHelp("Entries expire so long after they were written: 12h, 30d.", valueName: "age")
    )
    var age: AgeArgument?

    @Option(
        name: .customLong("expire-unused"),
        parsing: .unconditional,
        help: ArgumentHelp("Entries expire so long after they were last used: 12h, 30d.", valueName: "age")
    )
    var idleAge: AgeArgument?

    @Flag(help: "Entries do not expire by age.")
    var neverExpire = false

    @OptionGroup var cache: CacheOptions
    @OptionGroup var output: OutputOptions

    private static let table = Table(columns: [
        .init("SIZE", "sizeLimit", width: 9, alignsRight: true),
        .init("COUNT", "countLimit", width: 9, alignsRight: true),
        .init("EXPIRY", "expiry", width: 0),
    ])

    func validate() throws {
        guard (countLimit ?? 0) >= 0 else { throw ValidationError("--count is at least 0.") }
        guard [age != nil, idleAge != nil, neverExpire].count(where: { $0 }) <= 1 else {
            throw ValidationError("--expire-after, --expire-unused and --never-expire exclude each other.")
        }
    }

    func execute(_ console: Console, on cache: DiskCache) async throws -> ProgramStatus {
        // What the default limit is follows from what is there.
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
    /// What it says, for a person: `30 days after the last use`.
    fileprivate var text: String {
        switch self {
        case .afterWrite(let duration): "\(duration.ageText) after writing"
        case .afterAccess(let duration): "\(duration.ageText) after the last use"
        case .never: "never"
        }
    }
}

extension Duration {
    /// The greatest unit that gives a whole number.
    fileprivate var ageText: String {
        let seconds = components.seconds
        for (unit, length) in [("day", Int64(86_400)), ("hour", 3600), ("minute", 60)]
        where seconds >= length && seconds % length == 0 {
            return "\(seconds / length) \(unit)\(seconds == length ? "" : "s")"
        }
        return "\(seconds) seconds"
    }
}
