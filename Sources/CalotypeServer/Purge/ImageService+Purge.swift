import Calotype
import CalotypeSupport
import FoundationEssentials

/// A selection of cached images to purge.
public enum PurgeSelection: Hashable, Sendable {
    /// One original, by its URL as in URLs of the service, and all of its results.
    case source(String)
    /// All images whose original URL begins with a text, in any spelling that ``source(_:)`` accepts.
    case prefix(String)
    /// All images.
    case all
}

/// The number of purged images; an image in several tiers counts once.
public struct PurgeReport: Hashable, Sendable {
    /// The number of originals.
    public var originals: Int
    /// The number of results.
    public var results: Int

    /// Creates a report.
    public init(originals: Int = 0, results: Int = 0) {
        (self.originals, self.results) = (originals, results)
    }
}

extension ImageService {
    /// Removes originals with all of their results from every tier.
    ///
    /// Images in progress still reach their waiters, and are not cached. Every entry on disk is examined,
    /// which takes some 10 µs each.
    ///
    /// - Parameter selection: The images to purge.
    /// - Returns: The number of purged images.
    /// - Throws: ``RequestError`` with `invalidSource` for an invalid URL; `LoadError` if a store fails,
    ///   after the other tiers have been purged.
    public func purge(_ selection: PurgeSelection) async throws -> PurgeReport {
        let address = try Self.address(of: selection, localRoot: configuration.localRoot)
        let isSelected: @Sendable (ImageKey) -> Bool = { key in
            switch selection {
            case .source: key.sourceAddress == address
            case .prefix: key.rawValue.hasPrefix(address)
            case .all: true
            }
        }
        // Stored as hashes: a million keys take a few megabytes.
        let found = Guarded((originals: Set<Int>(), results: Set<Int>()))
        descriptions.removeAll(where: isSelected)
        try await pipeline.removeAll(where: isSelected) { key in
            found.withLock { found in
                if key.isVariant {
                    found.results.insert(key.hashValue)
                } else {
                    found.originals.insert(key.hashValue)
                }
            }
        }
        descriptions.removeAll(where: isSelected)
        return found.withLock { PurgeReport(originals: $0.originals.count, results: $0.results.count) }
    }

    private static func address(of selection: PurgeSelection, localRoot: URL?) throws(RequestError) -> String
    {
        switch selection {
        case .all: return ""
        case .source(let text): return try SourceURL(text).url(below: localRoot).absoluteString
        case .prefix(let text): return try SourceURL.beginning(text, below: localRoot)
        }
    }
}

extension String {
    /// The text without its final `/`.
    var trimmingSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}
