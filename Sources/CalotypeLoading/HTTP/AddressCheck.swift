import FoundationEssentials
import NIOCore

/// Refuses hosts and connections whose address the policy does not permit.
struct AddressCheck: Sendable {
    private let policy: AddressPolicy
    private let hasProxy: Bool
    private let timeout: Duration
    private let resolve: HTTPDataLoader.Surroundings.Resolve
    private let clock: any Clock<Duration>

    init(
        _ configuration: HTTPDataLoader.Configuration,
        _ surroundings: HTTPDataLoader.Surroundings
    ) {
        policy = configuration.addressPolicy
        hasProxy = configuration.proxy != nil
        timeout = configuration.connectTimeout
        resolve = surroundings.resolve
        clock = surroundings.clock
    }

    /// Checks where a hop leads; where a name has several addresses, one that is not permitted refuses all.
    ///
    /// - Throws: ``FetchError/Code/addressRefused``, ``FetchError/Code/hostNotFound``,
    ///   ``FetchError/Code/timedOut`` or `CancellationError`.
    func check(_ hop: HTTPHop, _ deadline: FetchDeadline) async throws {
        guard policy != .any else { return }
        let host = hop.address.host
        if let address = IPAddress(literal: host) {
            return try check(address, of: host)
        }
        for address in try await addresses(of: host, within: min(timeout, deadline.remaining())) {
            try check(address, of: host)
        }
    }

    /// Checks where a connection has led; the name may have got another address since it was looked up.
    func check(_ channel: any Channel) throws {
        guard policy != .any, !hasProxy else { return }
        guard let text = channel.remoteAddress?.ipAddress, let address = IPAddress(literal: text) else {
            throw FetchError(.addressRefused, detail: "a connection whose address is not known")
        }
        try check(address, of: text)
    }

    private func check(_ address: IPAddress, of host: String) throws(FetchError) {
        guard policy.permits(address) else {
            throw FetchError(
                .addressRefused,
                detail: "“\(host)” is no public address or has none, and only those are permitted"
            )
        }
    }

    private func addresses(of host: String, within limit: Duration) async throws -> [IPAddress] {
        try await withThrowingTaskGroup(of: [IPAddress].self) { group in
            group.addTask { try await resolve(host) }
            group.addTask {
                try await clock.sleep(for: limit)
                throw FetchError(.timedOut, isRetryable: true, detail: "no address of \(host) in time")
            }
            defer { group.cancelAll() }
            return try await group.next() ?? []
        }
    }
}
