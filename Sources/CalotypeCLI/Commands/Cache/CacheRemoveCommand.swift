import ArgumentParser
import Calotype
import CalotypeCache

struct CacheRemoveCommand: DiskCacheCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes images and their variants; exit status 4 if there were none.",
        discussion: """
            A URL selects its original and all of its variants. A key as `list` prints it selects that \
            entry. A key with `*`, which matches any text, selects all matching keys: \
            'https://example.org/avatars/*'.
            """
    )

    @Argument(help: ArgumentHelp("Addresses given to `load`, keys, or keys with `*`.", valueName: "key"))
    var keys: [String]

    @OptionGroup var cache: CacheOptions
    @OptionGroup var output: OutputOptions

    func execute(_ console: Console, on cache: DiskCache) async throws -> CommandExitCode {
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

enum KeyRule: Hashable, Sendable {
    case exactly(String)
    /// An original and its variants.
    case source(String)
    /// Keys made of these parts, with any text between them.
    case pattern([String])

    /// Creates the rule for a typed text.
    ///
    /// - Throws: ``CalotypeCache/DiskCacheError``; ``Calotype/LoadError`` if a `file:` URL cannot be
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

    /// Creates the rule for a text in which `*` matches any text.
    init(pattern: String) {
        self = .pattern(pattern.split(separator: "*", omittingEmptySubsequences: false).map(String.init))
    }

    /// Whether the rule selects a key.
    func picks(_ key: String) -> Bool {
        switch self {
        case .exactly(let other): key == other
        case .source(let source): ImageKey(key).isOf(source)
        case .pattern(let parts): Self.matches(key, parts)
        }
    }

    /// The first match of a part is as good as any later one, so no backtracking is needed.
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
