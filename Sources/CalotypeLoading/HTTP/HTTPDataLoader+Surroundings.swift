import FoundationEssentials

extension HTTPDataLoader {
    /// The dependencies of a loader on the machine; tests replace them.
    package struct Surroundings: Sendable {
        /// The clock for the total timeout of bodies.
        package var now: @Sendable () -> ContinuousClock.Instant = { .now }
        /// The clock for the rate of requests.
        package var clock: any Clock<Duration> = ContinuousClock()
        /// Resolves names for the address policy.
        package var resolve: NameResolver = { try await NameLookups.shared.addresses(of: $0) }
        /// Addresses to connect to in place of hosts, whatever they resolve to.
        package var connectionHosts: [String: String] = [:]

        /// The environment variables, which may name a proxy.
        package var environment: [String: String] = ProcessInfo.processInfo.environment

        package init() {}
    }
}

extension HostNames {
    init(_ configuration: HTTPDataLoader.Configuration, _ surroundings: HTTPDataLoader.Surroundings) {
        self.init(
            policy: configuration.addressPolicy,
            timeout: configuration.connectTimeout,
            cache: NameCache(surroundings.resolve, now: surroundings.now),
            clock: surroundings.clock,
            connectionHosts: surroundings.connectionHosts
        )
    }
}
