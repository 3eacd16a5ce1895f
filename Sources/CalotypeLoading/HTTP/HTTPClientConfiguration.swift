import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOSSL

extension HTTPDataLoader.Configuration {
    /// The settings of the client below; what the loader does itself is switched off there.
    func client(_ addressCheck: AddressCheck) -> HTTPClient.Configuration {
        var pool = HTTPClient.Configuration.ConnectionPool()
        pool.concurrentHTTP1ConnectionsPerHostSoftLimit = fetchConcurrencyPerHostMax
        // A refused connection is reported at once; trying again is the caller's decision.
        pool.retryConnectionEstablishment = false
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.additionalTrustRoots = additionalTrustRoots.map { .certificates($0.certificates) }
        var client = HTTPClient.Configuration(
            tlsConfiguration: tls,
            redirectConfiguration: .disallow,
            timeout: .init(
                connect: TimeAmount(connectTimeout),
                read: TimeAmount(idleTimeout),
                write: TimeAmount(idleTimeout)
            ),
            connectionPool: pool,
            proxy: proxy?.client,
            decompression: .disabled
        )
        // Both run when a connection has been made and before it is given its first request.
        client.http1_1ConnectionDebugInitializer = { channel in
            channel.admit(addressCheck) { try channel.addHTTP1Handlers() }
        }
        client.http2ConnectionDebugInitializer = { $0.admit(addressCheck) {} }
        return client
    }

    /// What errors call the other side of a hop.
    func name(of hop: HTTPHop) -> String {
        let host = hop.address.host
        return proxy.map { "\(host) through the proxy \($0)" } ?? host
    }
}

extension Channel {
    /// Checks where a connection leads and prepares it, or closes it.
    fileprivate func admit(_ check: AddressCheck, prepare: () throws -> Void) -> EventLoopFuture<Void> {
        eventLoop.makeCompletedFuture {
            do {
                try check.check(self)
                try prepare()
            } catch {
                // The client leaves a connection open that it was told not to use. It is closed after the
                // client has heard of the refusal, or the refusal would not be what it reports.
                eventLoop.execute { self.close(promise: nil) }
                throw error
            }
        }
    }

    /// Puts our handlers around the parser of a connection that speaks HTTP/1.1.
    fileprivate func addHTTP1Handlers() throws {
        let handlers = pipeline.syncOperations
        let parser = try handlers.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
        let answers = ExcessBytesHandler()
        try handlers.addHandler(UnaskedBytesHandler(answers), position: .before(parser))
        try handlers.addHandlers([answers, StaleConnectionHandler()], position: .after(parser))
    }
}
