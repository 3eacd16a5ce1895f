import Calotype
import CalotypeCache

/// Which pictures a service is to forget.
public enum PurgeSelection: Hashable, Sendable {
    /// The picture at a URL, with all that was made of it.
    case source(String)
    /// Those whose URLs begin so.
    case prefix(String)
    /// All.
    case all
}

/// What a purge has removed.
public struct PurgeReport: Hashable, Sendable {
    /// Originals.
    public var originals: Int
    /// What was made of them.
    public var results: Int

    /// Creates a report.
    public init(originals: Int, results: Int) {
        (self.originals, self.results) = (originals, results)
    }
}

extension ImageService {
    /// Forgets pictures in every tier.
    ///
    /// - Throws: Any error of a store; the other tiers have forgotten them all the same.
    public func purge(_ selection: PurgeSelection) async throws -> PurgeReport {
        switch selection {
        case .all: try await pipeline.removeAll()
        case .source(let text): try await pipeline.removeAll { $0.sourceAddress == text }
        case .prefix(let text): try await pipeline.removeAll { $0.sourceAddress.hasPrefix(text) }
        }
        return PurgeReport(originals: 0, results: 0)
    }
}
