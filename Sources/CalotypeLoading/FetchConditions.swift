public import FoundationEssentials

/// Header fields that belong to one URL: validators of a response that it gave, or a range of its content.
///
/// A loader that follows redirects sends them to that URL and to no other, wherever it comes in the chain;
/// `FetchRequest.headers` has them too where the request itself goes there. A response to them counts only
/// where its URL is that one.
public struct FetchConditions: Sendable {
    /// The header fields, such as `If-None-Match`, or `Range` with `If-Range`.
    public let headers: [HeaderField]
    private let isOwner: @Sendable (URL) -> Bool

    /// Creates conditions.
    ///
    /// - Parameters:
    ///   - headers: The header fields.
    ///   - isOwner: Whether a URL is the one that the fields belong to; called on any thread.
    public init(_ headers: [HeaderField], of isOwner: @escaping @Sendable (URL) -> Bool) {
        (self.headers, self.isOwner) = (headers, isOwner)
    }

    /// Whether the fields may be sent to a URL, and a response of it answers them.
    public func apply(to url: URL) -> Bool { isOwner(url) }
}

extension FetchRequest {
    /// The same request under conditions, with their fields among its own where its URL owns them.
    package func conditional(on conditions: FetchConditions) -> FetchRequest {
        var request = self
        request.conditions = conditions
        if conditions.apply(to: url) { request.headers += conditions.headers }
        return request
    }
}
