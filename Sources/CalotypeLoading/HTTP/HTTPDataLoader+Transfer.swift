import CalotypeTransfer

/// Conversion of the configuration for the transfer client.
extension HTTPDataLoader.Configuration {
    var transferSettings: TransferSettings {
        var settings = TransferSettings()
        settings.maxConnectionCount = maxFetchConcurrency
        settings.trustRoots = additionalTrustRoots.flatMap(\.pem)
        settings.unixSocketPath = unixSocketPath
        // A proxy's connections are its own responsibility.
        if proxy == nil, unixSocketPath == nil, addressPolicy != .any {
            settings.permits = { [addressPolicy] in addressPolicy.permits($0) }
        }
        return settings
    }
}

extension HTTPDataLoader {
    /// Returns the request of a hop, without the addresses of its host.
    func transferRequest(
        _ hop: HTTPHop,
        through proxy: HTTPDataLoader.Proxy?,
        maxByteCount: Int,
        within limit: Duration
    ) -> TransferRequest {
        let cookies = hop.fields.filter { $0.isNamed("cookie") }
        var request = TransferRequest(
            url: hop.address.text,
            fields: hop.fields.filter { !$0.isNamed("cookie") }.map {
                $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)"
            },
            maxByteCount: maxByteCount,
            connectTimeout: configuration.connectTimeout,
            idleTimeout: configuration.idleTimeout,
            totalTimeout: limit
        )
        request.ownCookie = cookies.isEmpty ? nil : cookies.map(\.value).joined(separator: "; ")
        request.proxy = proxy?.transferProxy
        request.tls = hop.address.scheme == "https" ? hop.credentials?.tls : nil
        (request.method, request.body) = (hop.method, hop.body)
        return request
    }

    /// Reads and drops a short body, so that the connection can be reused.
    ///
    /// Closing the connection instead is cheaper than reading a long body, or waiting for one.
    func discard(_ transfer: HTTPTransfer) async {
        await transfer.discard(atMost: 16 << 10, within: .milliseconds(250))
    }

    /// Records a transfer that has ended in the tally, if there is one.
    static func note(
        _ transfer: HTTPTransfer,
        of hop: HTTPHop,
        _ head: HTTPResponseHeader?,
        in tally: FetchTally?,
        _ nameLookup: Duration
    ) {
        guard let tally, let timings = transfer.timings else { return }
        tally.record(FetchTransaction(hop, status: head?.status, nameLookup: nameLookup, timings))
    }
}

extension HTTPHop {
    /// Creates the first request of a load.
    init(
        _ request: FetchRequest,
        _ configuration: HTTPDataLoader.Configuration,
        _ origins: OriginTable.Snapshot = .empty
    ) throws(FetchError) {
        let referer = configuration.referer.map { [HeaderField("Referer", $0)] } ?? []
        try self.init(
            request,
            defaults: [
                HeaderField("User-Agent", configuration.userAgent),
                HeaderField("Accept", configuration.accept),
            ] + referer,
            forwardedNames: Set(configuration.forwardedHeaderNames.map { $0.lowercased() }),
            origins: origins
        )
    }

    /// Returns the name of the server for errors.
    func name(through proxy: HTTPDataLoader.Proxy?) -> String {
        proxy.map { "\(address.host) through the proxy \($0)" } ?? address.host
    }
}
