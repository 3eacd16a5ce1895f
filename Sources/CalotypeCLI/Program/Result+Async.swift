extension Result where Failure == any Error {
    /// The outcome of asynchronous work, to be told after something else has been closed.
    init(_ body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
