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
        let cookies = hop.fields.filter { $0.isNamed("cookie") }
        var request = TransferRequest(
            url: hop.address.text,
            fields: hop.fields.filter { !$0.isNamed("cookie") }.map {
                $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)"
            },
            byteCountMax: byteCountMax,
            connectTimeout: min(connectTimeout, limit),
            idleTimeout: idleTimeout,
            totalTimeout: limit
        )
        request.ownCookie = cookies.isEmpty ? nil : cookies.map(\.value).joined(separator: "; ")
        request.proxy = proxy?.transferProxy
        (request.method, request.body) = (hop.method, hop.body)
        return request
    }
}

extension HTTPDataLoader {
    /// Measures the look-up of a name.
    struct NameLookup {
        private let now: @Sendable () -> ContinuousClock.Instant
        private let start: ContinuousClock.Instant

        init(_ now: @escaping @Sendable () -> ContinuousClock.Instant) {
            (self.now, start) = (now, now())
        }

        /// How long it has taken.
        var elapsed: Duration { start.duration(to: now()) }
    }

    /// Tells what a transfer took that has ended, where somebody asks.
    static func note(
        _ transfer: HTTPTransfer,
        of hop: HTTPHop,
        _ head: HTTPAnswerHead?,
        in tally: FetchTally?,
        _ nameLookup: Duration
    ) {
        guard let tally, let timings = transfer.timings else { return }
        tally.note(FetchTransaction(hop, status: head?.status, nameLookup: nameLookup, timings))
    }
}

extension HTTPHop {
    /// What errors call the other side.
    func name(through proxy: HTTPDataLoader.Proxy?) -> String {
        proxy.map { "\(address.host) through the proxy \($0)" } ?? address.host
    }
}
