extension Result where Failure == any Error {
    /// Captures the outcome of asynchronous work, so that cleanup can run before it is used.
    init(_ body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
