/// Looks at the heads of answers before anybody else does, changes or refuses them.
///
/// ```swift
/// // A server that sends its errors as pages with status 200.
/// ResponseModifier { response in
///     guard response.headers.contains(HeaderField("Content-Type", "text/html")) else { return }
///     throw FetchError(.unacceptableContentType, status: response.status, detail: "a page, no picture")
/// }
/// ```
///
/// An answer that is refused ends its download.
public struct ResponseModifier: LoaderMiddleware {
    /// Changes an answer.
    public typealias Change = @Sendable (inout FetchResponse) async throws -> Void

    private let change: Change

    /// Creates middleware from a closure that changes an answer, or throws.
    public init(_ change: @escaping Change) {
        self.change = change
    }

    /// Loads and changes the answer.
    ///
    /// - Throws: What the closure or the loader throws.
    public func response(for request: FetchRequest, next: any DataLoader) async throws -> FetchResponse {
        var response = try await next.response(for: request)
        try await change(&response)
        return response
    }
}
