import CalotypeTransfer

/// Resolves the hosts of hops, and refuses addresses that the policy does not permit.
struct HostNames: Sendable {
    let policy: AddressPolicy
    let timeout: Duration
    let cache: NameCache
    let clock: any Clock<Duration>
    /// Addresses to connect to in place of hosts, whatever they resolve to.
    let connectionHosts: [String: String]

    /// Returns the addresses of a hop's host; `nil` if its URL contains an address, or a proxy resolves it.
    ///
    /// If a name has several addresses, one that is not permitted refuses them all.
    ///
    /// - Throws: ``FetchError/Code/addressRefused``, ``FetchError/Code/hostNotFound``,
    ///   ``FetchError/Code/timedOut``, ``FetchError/Code/overloaded`` or `CancellationError`.
    func addresses(
        of hop: HTTPHop,
        isProxied: @autoclosure () throws -> Bool = false,
        within limit: Duration
    ) async throws -> HostAddresses? {
        let host = hop.address.host
        guard policy.permits(port: hop.address.port) else {
            throw FetchError(.addressRefused, detail: "the port \(hop.address.port) is not permitted")
        }
        if let address = IPAddress(literal: host) {
            try check([address], of: host)
            return nil
        }
        guard try !isProxied() || policy != .any else { return nil }
        let found = try await cache.addresses(of: host, within: min(timeout, limit), clock)
        try check(found, of: host)
        let addresses = connectionHosts[host].flatMap { IPAddress(literal: $0) }.map { [$0] } ?? found
        return HostAddresses(host: host, port: hop.address.port, addresses: Array(addresses.prefix(16)))
    }

    private func check(_ addresses: [IPAddress], of host: String) throws(FetchError) {
        guard addresses.allSatisfy(policy.permits) else { throw .addressRefused(host) }
    }
}
