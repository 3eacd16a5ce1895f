import Calotype
import CalotypeSupport
import FoundationEssentials

/// What is to be forgotten.
public enum PurgeSelection: Hashable, Sendable {
    /// One original, by its URL as URLs of the service name it, and all that was made of it.
    case source(String)
    /// All whose original's URL begins so, in any spelling that ``source(_:)`` takes too.
    case prefix(String)
    /// Everything.
    case all
}

/// What was forgotten; what several tiers had counts once.
public struct PurgeReport: Hashable, Sendable {
    /// Originals.
    public var originals: Int
    /// Pictures that were made of them.
    public var results: Int

    /// Creates a report.
    public init(originals: Int = 0, results: Int = 0) {
        (self.originals, self.results) = (originals, results)
    }
}

extension ImageService {
    /// Forgets originals with all that was made of them, in every tier.
    ///
    /// What is being made at that moment still reaches those that wait for it, and is kept nowhere. Every
    /// entry on disk is looked at: some 10 µs for each.
    ///
    /// - Parameter selection: What is to be forgotten.
    /// - Returns: What was there of it.
    /// - Throws: ``RequestError`` with `invalidSource` where the URL is none; `LoadError` where a store
    ///   fails, and the other tiers have forgotten it all the same.
    public func purge(_ selection: PurgeSelection) async throws -> PurgeReport {
        let address = try Self.address(of: selection, localRoot: configuration.localRoot)
        let isSelected: @Sendable (ImageKey) -> Bool = { key in
            switch selection {
            case .source: key.sourceAddress == address
            case .prefix: key.rawValue.hasPrefix(address)
            case .all: true
            }
        }
        // By their hashes: a million keys are a few megabytes of them.
        let found = Guarded((originals: Set<Int>(), results: Set<Int>()))
        descriptions.removeAll(where: isSelected)
        try await pipeline.removeAll(where: isSelected) { key in
            found.withLock { found in
                if key.isOfOriginal {
                    found.originals.insert(key.hashValue)
                } else {
                    found.results.insert(key.hashValue)
                }
            }
        }
        descriptions.removeAll(where: isSelected)
        return found.withLock { PurgeReport(originals: $0.originals.count, results: $0.results.count) }
    }

    /// What the keys begin with that a selection is of.
    private static func address(of selection: PurgeSelection, localRoot: URL?) throws(RequestError) -> String
    {
        switch selection {
        case .all: return ""
        case .source(let text): return try SourceURL(text).url(below: localRoot).absoluteString
        case .prefix(let text): return try SourceURL.beginning(text, below: localRoot)
        }
    }
}

extension ImageKey {
    /// Whether it is that of an original: a service asks for them without header fields.
    fileprivate var isOfOriginal: Bool { !rawValue.utf8.contains(UInt8(ascii: "#")) }
}

extension String {
    /// The text without the `/` at its end.
    var trimmingSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}
