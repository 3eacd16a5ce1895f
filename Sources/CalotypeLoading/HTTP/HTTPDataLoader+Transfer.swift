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
    func transferRequest(
        _ hop: HTTPHop,
        through proxy: HTTPDataLoader.Proxy?,
        byteCountMax: Int,
        within limit: Duration
    ) -> TransferRequest {
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
}

extension HTTPHop {
    /// What errors call the other side.
    func name(through proxy: HTTPDataLoader.Proxy?) -> String {
        proxy.map { "\(address.host) through the proxy \($0)" } ?? address.host
    }
}
