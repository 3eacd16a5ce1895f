public import FoundationEssentials

/// Header fields that belong to one URL: validators of an earlier response from it, or a range of its
/// content.
///
/// A loader that follows redirects sends them to that URL only, at any position in the chain.
/// `FetchRequest.headers` also contains them if the request itself goes to that URL. A response to them is
/// valid only if its URL is that one.
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

    /// Returns whether the fields may be sent to a URL, and whether its response applies to them.
    public func apply(to url: URL) -> Bool { isOwner(url) }
}

extension FetchRequest {
    /// Returns the request under conditions, with their fields added to its own if its URL owns them.
    package func conditional(on conditions: FetchConditions) -> FetchRequest {
        var request = self
        request.conditions = conditions
        if conditions.apply(to: url) { request.headers += conditions.headers }
        return request
    }
}
