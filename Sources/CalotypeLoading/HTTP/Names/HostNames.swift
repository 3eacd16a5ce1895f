import CalotypeTransfer
import FoundationEssentials

/// Resolves the hosts of hops, and refuses addresses that the policy does not permit.
struct HostNames: Sendable {
    private let policy: AddressPolicy
    private let proxies: ProxyRules
    private let hasUnixSocket: Bool
    private let timeout: Duration
    private let cache: NameCache
    private let clock: any Clock<Duration>
    private let connectionHosts: [String: String]

    init(
        _ configuration: HTTPDataLoader.Configuration,
        _ surroundings: HTTPDataLoader.Surroundings
    ) {
        policy = configuration.addressPolicy
        proxies = ProxyRules(configuration, environment: surroundings.environment)
        hasUnixSocket = configuration.unixSocketPath != nil
        timeout = configuration.connectTimeout
        cache = NameCache(surroundings.resolve, now: surroundings.now)
        clock = surroundings.clock
        connectionHosts = surroundings.connectionHosts
    }

    /// Returns the addresses of a hop's host; `nil` if its URL contains an address, or a proxy resolves it.
    ///
    /// If a name has several addresses, one that is not permitted refuses them all.
    ///
    /// - Throws: ``FetchError/Code/addressRefused``, ``FetchError/Code/hostNotFound``,
    ///   ``FetchError/Code/timedOut``, ``FetchError/Code/overloaded`` or `CancellationError`.
    func addresses(of hop: HTTPHop, within limit: Duration) async throws -> HostAddresses? {
        let host = hop.address.host
        guard policy.permits(port: hop.address.port) else {
            throw FetchError(.addressRefused, detail: "the port \(hop.address.port) is not permitted")
        }
        if let address = IPAddress(literal: host) {
            try check([address], of: host)
            return nil
        }
        let looksItself = try hasUnixSocket || proxy(for: hop) != nil
        guard !looksItself || policy != .any else { return nil }
        let found = try await cache.addresses(of: host, within: min(timeout, limit), clock)
        try check(found, of: host)
        let addresses = connectionHosts[host].flatMap { IPAddress(literal: $0) }.map { [$0] } ?? found
        return HostAddresses(host: host, port: hop.address.port, addresses: Array(addresses.prefix(16)))
    }

    /// Returns the proxy for a hop.
    ///
    /// - Throws: ``FetchError/Code/connectionFailed`` if the proxy setting is invalid.
    func proxy(for hop: HTTPHop) throws(FetchError) -> HTTPDataLoader.Proxy? {
        try proxies.proxy(for: hop.address)
    }

    private func check(_ addresses: [IPAddress], of host: String) throws(FetchError) {
        guard addresses.allSatisfy(policy.permits) else { throw .addressRefused(host) }
    }
}
