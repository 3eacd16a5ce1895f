import ArgumentParser
import Calotype
import CalotypeCache

/// `calotype cache remove`.
struct CacheRemoveCommand: DiskCacheCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Forgets images with all that was made of them; exit status 4 where there was nothing.",
        discussion: """
            A URL stands for its original and for every variant of it. A key as `list` prints it stands for \
            that one entry. With `*` in it, which stands for any text, it is compared with the keys: \
            'https://example.org/avatars/*'.
            """
    )

    @Argument(help: ArgumentHelp("What `load` was given, or keys with `*` in them.", valueName: "key"))
    var keys: [String]

    @OptionGroup var cache: CacheOptions
    @OptionGroup var output: OutputOptions

    func execute(_ console: Console, on cache: DiskCache) async throws -> ProgramStatus {
        var rules: [KeyRule] = []
        for text in keys { rules.append(try await KeyRule(typed: text, in: cache)) }
        let before = try await cache.usage()
        let count = try await cache.removeBlobs { [rules] key in rules.contains { $0.picks(key) } }
        let after = try await cache.usage()
        let byteCount = max(0, before.byteCount - after.byteCount)
        try await console.write(StoreUsage(entryCount: count, byteCount: byteCount))
        return count == 0 ? .notInCache : .success
    }
}

/// Which keys a person means.
enum KeyRule: Hashable, Sendable {
    /// This one.
    case exactly(String)
    /// An original and its variants.
    case source(String)
    /// All that are made of these parts with any text between them.
    case pattern([String])

    /// Decides by what is there and what is written.
    ///
    /// - Throws: ``CalotypeCache/DiskCacheError``; ``Calotype/LoadError`` where a `file:` URL cannot be
    ///   examined.
    init(typed text: String, in cache: DiskCache) async throws {
        let isVariant = text.contains("#") || !CacheKeyText.isURL(text)
        let isThere = try await cache.contains(text)
        if isThere, isVariant {
            self = .exactly(text)
        } else if !isThere, text.contains("*") {
            self.init(pattern: text)
        } else {
            self = .source(try await CacheKeyText.key(for: text))
        }
    }

    /// The rule of a text in which `*` stands for any text.
    init(pattern: String) {
        self = .pattern(pattern.split(separator: "*", omittingEmptySubsequences: false).map(String.init))
    }

    /// Whether a key is meant.
    func picks(_ key: String) -> Bool {
        switch self {
        case .exactly(let other): key == other
        case .source(let source): ImageKey(key).isOf(source)
        case .pattern(let parts): Self.matches(key, parts)
        }
    }

    /// The first place of a part is as good as any later one, so nothing is tried twice.
    private static func matches(_ key: String, _ parts: [String]) -> Bool {
        guard let first = parts.first, let last = parts.last, parts.count > 1 else { return false }
        guard key.hasPrefix(first) else { return false }
        var rest = key[...].dropFirst(first.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let place = rest.firstRange(of: part) else { return false }
            rest = rest[place.upperBound...]
        }
        return rest.hasSuffix(last)
    }
}
