/// Middleware that inspects the headers of responses, and changes or rejects them.
///
/// ```swift
/// // For a server that sends error pages with status 200.
/// ResponseModifier { response in
///     guard response.headers.contains(HeaderField("Content-Type", "text/html")) else { return }
///     throw FetchError(.unacceptableContentType, status: response.status, detail: "a page, not an image")
/// }
/// ```
///
/// Rejecting a response cancels its download.
public struct ResponseModifier: LoaderMiddleware {
    /// Changes a response.
    public typealias Change = @Sendable (inout FetchResponse) async throws -> Void

    private let change: Change

    /// Creates middleware from a closure that changes a response, or throws.
    public init(_ change: @escaping Change) {
        self.change = change
    }

    /// Loads and changes the response.
    ///
    /// - Throws: The error of the closure or the loader.
    public func response(for request: FetchRequest, next: any DataLoader) async throws -> FetchResponse {
        var response = try await next.response(for: request)
        try await change(&response)
        return response
    }
}
