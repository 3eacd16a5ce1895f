import CalotypeSupport
import CalotypeTransfer
import FoundationEssentials

/// A loader of `http:` and `https:` URLs.
///
/// Redirects are followed, and each hop is checked: none may lead from https to http or to another scheme,
/// and credentials are only sent to the host that they were given for. Certificates are verified. Cookies set
/// by a redirect are sent along its chain, and dropped with it unless ``Configuration/storesCookies`` is set;
/// `.netrc` is not read. Content encodings are not requested; a body that is compressed nevertheless (gzip,
/// deflate, Brotli, Zstandard) is decompressed within the limits. A user name and password in the URL are
/// sent as basic authentication, and never appear in errors or in the URL of the response.
///
/// Use one loader per program: it owns the connections. ``shutdown()`` closes them gracefully.
public final class HTTPDataLoader: DataLoader {
    let configuration: Configuration
    private let client: TransferClient
    private let gate: AdmissionGate
    private let pace: FetchRateLimiter?
    private let names: HostNames
    private let proxies: ProxyRules
    private let jar: CookieJar?
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Whether the loader may add credentials: whether it has ``Configuration/origins``.
    public var hasCacheIdentity: Bool { configuration.origins != nil }

    /// Returns the identity of the credentials for the request's origin.
    public func cacheIdentity(for request: FetchRequest) -> String {
        configuration.origins?.cacheIdentity(for: request.url) ?? ""
    }

    /// Creates a loader.
    ///
    /// - Precondition: The limits of the configuration are at least 1.
    public convenience init(_ configuration: Configuration = Configuration()) {
        self.init(configuration, Surroundings())
    }

    /// Creates a loader with a clock for the total timeout of bodies.
    package convenience init(
        _ configuration: Configuration,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        var surroundings = Surroundings()
        surroundings.now = now
        self.init(configuration, surroundings)
    }

    /// Creates a loader with a test's own clocks and names.
    package init(_ configuration: Configuration, _ surroundings: Surroundings) {
        self.configuration = configuration
        now = surroundings.now
        names = HostNames(configuration, surroundings)
        proxies = ProxyRules(configuration, environment: surroundings.environment)
        jar = configuration.storesCookies ? CookieJar() : nil
        pace = configuration.rateLimit.map { FetchRateLimiter($0, surroundings.clock) }
        client = TransferClient(configuration.transferSettings)
        gate = AdmissionGate(
            AdmissionQueue(
                maxRunningCount: configuration.maxFetchConcurrency,
                maxRunningCountPerHost: configuration.maxFetchConcurrencyPerHost,
                maxWaitingCount: configuration.maxQueuedFetchCount,
                maxWaitingCountPerHost: configuration.maxQueuedFetchCount
                    - configuration.maxQueuedFetchCount / 4,
                order: configuration.queueOrder,
                reserve: (configuration.maxFetchConcurrency / 8, configuration.maxFetchConcurrencyPerHost / 3)
            )
        )
    }

    /// Starts a load.
    ///
    /// - Throws: ``FetchError``, or `CancellationError`, upon which the connection is closed.
    ///   `unsupportedScheme` in a build without the package trait `HTTP`.
    public func response(for request: FetchRequest) async throws -> FetchResponse {
        guard BuildTrait.http.isOn else {
            throw FetchError(.unsupportedScheme, detail: BuildTrait.http.absence(of: "HTTP"))
        }
        let origins = configuration.origins?.snapshot ?? .empty
        do {
            return try await load(request, origins)
        } catch let error as FetchError {
            throw origins.redacted(error)
        }
    }

    private func load(
        _ request: FetchRequest,
        _ origins: OriginTable.Snapshot
    ) async throws -> FetchResponse {
        var hop = try HTTPHop(request, configuration, origins)
        request.tally?.recordRedirect(to: nil)
        // The lookup precedes the queue: a name whose server does not respond delays only its own loads.
        let start = now()
        _ = try await addresses(of: hop, within: try configuration.connectTimeout(of: request, now))
        let queuedAt = now()
        var nameLookup = start.duration(to: queuedAt)
        request.tally?.recordQueued(true)
        var permit = try await enter(hop, for: request)
        try await pace?.turn(request.priority, within: request.timeLeft(at: now()))
        request.tally?.recordQueued(false)
        let (total, waited) = (configuration.totalTimeout, queuedAt.duration(to: now()))
        var deadline = FetchDeadline(total, latest: request.deadline, waited: waited, now: now)
        var redirects: [FetchRedirect] = []
        while true {
            // A pause may have begun while the load waited.
            if let refusal = request.refusal?(hop.url) { throw refusal }
            let sentAt = now()
            let (transfer, head) = try await send(hop, for: request, deadline, nameLookup)
            hop.cookies = transfer.cookies ?? hop.cookies
            if head.isRedirect {
                await discard(transfer)
                Self.note(transfer, of: hop, head, in: request.tally, nameLookup)
                request.tally?.recordRedirect()
                redirects.append(FetchRedirect(url: hop.url, status: head.status, headers: head.fields))
                let previous = hop
                hop = try hop.redirected(by: head, maxCount: configuration.maxRedirectCount)
                request.tally?.recordRedirect(to: hop.url)
                try check(redirectTo: hop, by: head, for: request)
                if let refusal = request.refusal?(hop.url) { throw refusal }
                nameLookup = .zero
                if hop.origin != previous.origin {
                    (permit, deadline, nameLookup) = try await move(permit, to: hop, for: request, deadline)
                }
                if let pace {
                    // The total time is paused while the load waits for its turn.
                    let remaining = try deadline.remaining()
                    request.tally?.recordQueued(true)
                    try await pace.turn(request.priority, within: request.timeLeft(at: now()))
                    request.tally?.recordQueued(false)
                    deadline = FetchDeadline(deadline, remaining: remaining)
                }
                continue
            }
            do throws(FetchError) {
                try check(head, to: hop, for: request)
            } catch {
                await discard(transfer)
                Self.note(transfer, of: hop, head, in: request.tally, nameLookup)
                var error = error
                error.answeringURL = hop.url
                throw error
            }
            var answer = try response(head, transfer, request, hop, permit, deadline, nameLookup)
            answer.redirects = redirects
            answer.responseTime = sentAt.duration(to: now())
            return answer
        }
    }

    private func addresses(of hop: HTTPHop, within limit: Duration) async throws -> HostAddresses? {
        try await names.addresses(
            of: hop,
            isProxied: configuration.unixSocketPath != nil || proxies.proxy(for: hop.address) != nil,
            within: limit
        )
    }

    /// Waits for a permit for a hop's host, at most until the request's deadline.
    private func enter(
        _ hop: HTTPHop,
        for request: FetchRequest,
        isReturning: Bool = false
    ) async throws -> AdmissionGate.Permit {
        let limit = request.deadline.map { now().duration(to: $0) }
        do {
            return try await gate.enter(
                host: hop.origin,
                request.priority,
                isReturning: isReturning,
                within: limit
            )
        } catch is AdmissionGate.LateError {
            // Without the connections that are reserved for urgent loads.
            let maxCount = configuration.maxFetchConcurrencyPerHost
            throw Self.noTurn(hop, isBusy: gate.runningCount(of: hop.origin) >= maxCount - maxCount / 3)
        }
    }

    /// Exchanges a permit for one of another host, so that a host which many redirects lead to uses no more
    /// permits than its own.
    ///
    /// The time of the load is paused while it waits.
    private func move(
        _ permit: AdmissionGate.Permit,
        to hop: HTTPHop,
        for request: FetchRequest,
        _ deadline: FetchDeadline
    ) async throws -> (AdmissionGate.Permit, FetchDeadline, Duration) {
        let remaining = try deadline.remaining()
        permit.end()
        let start = now()
        _ = try await addresses(of: hop, within: min(remaining, configuration.connectTimeout))
        let nameLookup = start.duration(to: now())
        request.tally?.recordQueued(true)
        let permit = try await enter(hop, for: request, isReturning: true)
        request.tally?.recordQueued(false)
        return (permit, FetchDeadline(deadline, remaining: remaining), nameLookup)
    }

    /// The running and waiting loads by origin; a redirect counts for the origin of its target.
    public var activity: LoaderActivity { gate.activity }

    /// Waits for running loads, fails waiting and later ones, and closes the connections.
    ///
    /// If the calling task is cancelled, running loads are aborted; they fail with
    /// ``FetchError/Code/closed``.
    public func shutdown() async {
        await gate.close()
        client.close(cutsOff: Task.isCancelled)
    }

    /// Sends a request and waits for the header of the response.
    private func send(
        _ hop: HTTPHop,
        for request: FetchRequest,
        _ deadline: FetchDeadline,
        _ nameLookup: Duration
    ) async throws -> (HTTPTransfer, HTTPResponseHeader) {
        let proxy = try proxies.proxy(for: hop.address)
        var transferRequest = transferRequest(
            hop,
            through: proxy,
            maxByteCount: request.maxByteCount,
            within: try deadline.remaining()
        )
        transferRequest.addresses = try await addresses(of: hop, within: deadline.remaining())
        let kept = jar?.lines(for: hop.address.host) ?? []
        transferRequest.cookies = kept + hop.cookies
        var started: HTTPTransfer?
        do {
            try Task.checkCancellation()
            let transfer = client.start(transferRequest)
            started = transfer
            let head = try HTTPResponseHeader(lines: try await transfer.head())
            if let received = transfer.cookies { jar?.change(transferRequest.cookies, to: received) }
            guard head.hasUnrealCoding, transferRequest.unpacks, !head.isRedirect else {
                return (transfer, head)
            }
            // libcurl would reject an unknown coding. Requests with side effects are not sent again.
            guard transferRequest.isRepeatable else {
                transfer.cancel()
                throw FetchError(
                    .invalidResponse,
                    status: head.status,
                    detail: "the body has the content coding \(head.codingText), which is not supported"
                )
            }
            transferRequest.unpacks = false
            transferRequest.totalTimeout = try deadline.remaining()
            transfer.cancel()
            let plain = client.start(transferRequest)
            let plainHead = try HTTPResponseHeader(lines: try await plain.head())
            if let received = plain.cookies { jar?.change(transferRequest.cookies, to: received) }
            return (plain, plainHead)
        } catch let error as TransferError {
            if let started { Self.note(started, of: hop, nil, in: request.tally, nameLookup) }
            let message = hop.origins.redacted(error.message)
            throw deadline.failure(TransferError(error.kind, message), host: hop.name(through: proxy))
        }
    }

    private func response(
        _ head: HTTPResponseHeader,
        _ transfer: HTTPTransfer,
        _ request: FetchRequest,
        _ hop: HTTPHop,
        _ permit: AdmissionGate.Permit,
        _ deadline: FetchDeadline,
        _ nameLookup: Duration
    ) throws(FetchError) -> FetchResponse {
        let expectedByteCount = head.isPacked ? nil : head.contentByteCount
        _ = try BodyLimit(maxByteCount: request.maxByteCount, expectedByteCount: expectedByteCount)
        let reader = HTTPBodyReader(
            transfer,
            permit,
            deadline,
            expectedByteCount: expectedByteCount,
            maxByteCount: request.maxByteCount,
            host: hop.name(through: try proxies.proxy(for: hop.address)),
            redact: { [origins = hop.origins] in origins.redacted($0) },
            onEnd: { [tally = request.tally] in Self.note($0, of: hop, head, in: tally, nameLookup) }
        )
        return FetchResponse(
            origin: .network,
            url: hop.url,
            status: head.status,
            headers: head.fields,
            expectedByteCount: expectedByteCount,
            body: FetchBody({ reader.iterator }, whole: { try await reader.rest() })
        )
    }
}
