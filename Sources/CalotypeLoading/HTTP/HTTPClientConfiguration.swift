import AsyncHTTPClient
import NIOCore

extension HTTPDataLoader.Configuration {
    /// The settings of the client below; what the loader does itself is switched off there.
    var client: HTTPClient.Configuration {
        var pool = HTTPClient.Configuration.ConnectionPool()
        pool.concurrentHTTP1ConnectionsPerHostSoftLimit = fetchConcurrencyPerHostMax
        // A refused connection is reported at once; trying again is the caller's decision.
        pool.retryConnectionEstablishment = false
        var client = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(
                connect: TimeAmount(connectTimeout),
                read: TimeAmount(idleTimeout),
                write: TimeAmount(idleTimeout)
            ),
            connectionPool: pool,
            decompression: .disabled
        )
        client.http1_1ConnectionDebugInitializer = { $0.refuseExcessBytes() }
        return client
    }
}
