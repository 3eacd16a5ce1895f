package import CalotypeTransfer
import FoundationEssentials

extension HTTPDataLoader {
    /// What a loader takes from the machine; tests bring their own.
    package struct Surroundings: Sendable {
        /// Finds all addresses of a name.
        package typealias Resolve = @Sendable (String) async throws -> [IPAddress]

        /// The clock for the total timeout of bodies.
        package var now: @Sendable () -> ContinuousClock.Instant = { .now }
        /// The clock for the rate of requests.
        package var clock: any Clock<Duration> = ContinuousClock()
        /// Finds the addresses that the address policy looks at.
        package var resolve: Resolve = { try await NameLookups.shared.addresses(of: $0) }
        /// Hosts that are connected to in place of others, whatever they resolve to.
        package var connectionHosts: [String: String] = [:]

        /// The variables that may name a proxy.
        package var environment: [String: String] = ProcessInfo.processInfo.environment

        /// Takes everything from the machine.
        package init() {}
    }
}
