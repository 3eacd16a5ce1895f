import CalotypeLoading
import LoopbackOrigin

/// Runs a test against an origin, and closes origin and loader afterwards.
func withOrigin(
    _ routes: [String: OriginResponse],
    _ configuration: HTTPDataLoader.Configuration = .patient,
    host: String = "127.0.0.1",
    _ body: (LoopbackOrigin, HTTPDataLoader) async throws -> Void
) async throws {
    let origin = try await LoopbackOrigin.start(routes: routes, host: host)
    let loader = HTTPDataLoader(configuration)
    try await closing(origin, loader) { try await body(origin, loader) }
}

/// Runs a test and closes its origin and loader in every case.
func closing(
    _ origin: LoopbackOrigin,
    _ loader: any DataLoader,
    after body: () async throws -> Void
) async throws {
    do {
        try await body()
    } catch {
        await loader.shutdown()
        await origin.close()
        throw error
    }
    await loader.shutdown()
    await origin.close()
}

extension HTTPDataLoader.Configuration {
    /// The defaults, with timeouts for a machine that runs every test at the same time.
    static var patient: Self {
        var configuration = Self()
        configuration.connectTimeout = .seconds(120)
        configuration.idleTimeout = .seconds(180)
        configuration.totalTimeout = .seconds(300)
        return configuration
    }

    static func with(_ change: (inout Self) -> Void) -> Self {
        var configuration = patient
        change(&configuration)
        return configuration
    }
}
