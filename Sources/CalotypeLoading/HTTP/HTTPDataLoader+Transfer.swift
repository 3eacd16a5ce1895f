import CalotypeTransfer

/// How the configuration reads for the client below.
extension HTTPDataLoader.Configuration {
    /// What all transfers have in common.
    var transferSettings: TransferSettings {
        var settings = TransferSettings()
        settings.connectionCountMax = fetchConcurrencyMax
        settings.trustRoots = additionalTrustRoots.flatMap(\.pem)
        settings.unixSocketPath = unixSocketPath
        // What a proxy connects to is its own affair.
        if proxy == nil, unixSocketPath == nil, addressPolicy != .any {
            settings.permits = { [addressPolicy] in addressPolicy.permits($0) }
        }
        return settings
    }

    /// The request of a hop, without the addresses of its host.
    func transferRequest(_ hop: HTTPHop, byteCountMax: Int, within limit: Duration) -> TransferRequest {
        var request = TransferRequest(
            url: hop.address.text,
            fields: hop.fields.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" },
            byteCountMax: byteCountMax,
            connectTimeout: min(connectTimeout, limit),
            idleTimeout: idleTimeout,
            totalTimeout: limit
        )
        request.proxy = proxy?.transferProxy
        return request
    }

    /// What errors call the other side of a hop.
    func name(of hop: HTTPHop) -> String {
        let host = hop.address.host
        return proxy.map { "\(host) through the proxy \($0)" } ?? host
    }
}
