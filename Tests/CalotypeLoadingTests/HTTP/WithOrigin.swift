import CalotypeLoading
import LoopbackOrigin

/// Runs a test against an origin, and leaves neither origin nor loader behind.
func withOrigin(
    _ routes: [String: OriginResponse],
    _ configuration: HTTPDataLoader.Configuration = .init(),
    at place: LoopbackOrigin.Place = .init(),
    _ body: (LoopbackOrigin, HTTPDataLoader) async throws -> Void
) async throws {
    let origin = try await LoopbackOrigin.start(routes: routes, at: place)
    let loader = HTTPDataLoader(configuration)
    do {
        try await body(origin, loader)
    } catch {
        await loader.shutdown()
        await origin.close()
        throw error
    }
    await loader.shutdown()
    await origin.close()
}

extension HTTPDataLoader.Configuration {
    /// The defaults with changes.
    static func with(_ change: (inout Self) -> Void) -> Self {
        var configuration = Self()
        change(&configuration)
        return configuration
    }
}
