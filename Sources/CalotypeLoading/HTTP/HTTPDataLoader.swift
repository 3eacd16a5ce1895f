import AsyncHTTPClient
import CalotypeSupport
import FoundationEssentials
import NIOCore
import NIOHTTP1

/// Loads `http:` and `https:` URLs.
///
/// Redirects are followed here, each hop checked: none leads from https to http or to another scheme, and
/// credentials stay with the host that they were given for. Certificates are verified. Cookies are neither
/// kept nor sent. Content encodings are not asked for and not accepted, so that the bytes are the origin's. A
/// name and a password in the URL are sent as basic authentication, appear in no error, and not in the URL of
/// the response.
///
/// Keep one loader for a program: it owns the connections. ``shutdown()`` closes them in order.
public final class HTTPDataLoader: DataLoader {
    private let configuration: Configuration
    private let client: HTTPClient
    private let gate: FetchGate
    private let pace: FetchPace?
    private let addressCheck: AddressCheck
    private let now: @Sendable () -> ContinuousClock.Instant

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

    /// Creates a loader with clocks and names of a test's own.
    package init(_ configuration: Configuration, _ surroundings: Surroundings) {
        self.configuration = configuration
        now = surroundings.now
        addressCheck = AddressCheck(configuration, surroundings)
        pace = configuration.rateLimit.map { FetchPace($0, surroundings.clock) }
        var client = configuration.client(addressCheck)
        client.dnsOverride = surroundings.connectionHosts
        self.client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: client)
        gate = FetchGate(
            FetchQueue(
                runningCountMax: configuration.fetchConcurrencyMax,
                runningCountPerHostMax: configuration.fetchConcurrencyPerHostMax,
                waitingCountMax: configuration.queuedFetchCountMax,
                order: configuration.queueOrder
            )
        )
    }

    deinit {
        // The client must not go without a shutdown; one that has been shut down says so, which is as good.
        // Bodies that are still being read hold the loader, so nothing is cut off here.
        client.shutdown { _ in }
    }

    /// Starts a load.
    ///
    /// - Throws: ``FetchError``, or `CancellationError`, upon which the connection is closed.
    public func response(for request: FetchRequest) async throws -> FetchResponse {
        var hop = try HTTPHop(request, configuration)
        let permit = try await gate.enter(host: hop.origin, request.priority)
        try await pace?.turn()
        let deadline = FetchDeadline(configuration.totalTimeout, now: now)
        while true {
            let answer = try await send(hop, deadline)
            let head = try HTTPAnswerHead(answer)
            if head.isRedirect {
                await discard(answer.body, head)
                hop = try hop.redirected(by: head, countMax: configuration.redirectCountMax)
                try await pace?.turn()
                continue
            }
            do throws(FetchError) {
                try configuration.check(head, for: request)
            } catch {
                await discard(answer.body, head)
                throw error
            }
            return try response(head, answer.body, request: request, hop: hop, permit, deadline)
        }
    }

    /// Lets running loads finish, fails those that wait and come later, and closes the connections.
    ///
    /// Where the calling task is cancelled, running loads are cut off; they fail with
    /// ``FetchError/Code/closed``.
    public func shutdown() async {
        await gate.close()
        do {
            try await client.shutdown()
        } catch {
            // Only thrown where the client has been shut down before.
            assert(error as? HTTPClientError == .alreadyShutdown)
        }
    }

    /// Sends a request and waits for the head of the answer.
    ///
    /// A connection that was kept may have been closed by the other side just when the request was sent on
    /// it. That is nobody's failure: the request goes out again, at most once for each connection that can
    /// have been kept.
    private func send(_ hop: HTTPHop, _ deadline: FetchDeadline) async throws -> HTTPClientResponse {
        let host = configuration.name(of: hop)
        var retryCount = 0
        while true {
            do {
                try await addressCheck.check(hop, deadline)
                // The client's deadline ends with the head; the body has to look at the clock itself.
                let remaining = try deadline.remaining()
                return try await client.execute(hop.clientRequest, deadline: .now() + TimeAmount(remaining))
            } catch {
                let retryCountMax = StaleConnection.retryCountMax(error, configuration)
                guard retryCount < retryCountMax, !Task.isCancelled else {
                    throw loadFailure(error, host: host)
                }
                retryCount += 1
            }
        }
    }

    /// Reads a short body that nobody wants, so that the connection can be used again.
    ///
    /// Dropping a body closes the connection, which is cheaper than reading a long one.
    private func discard(_ body: HTTPClientResponse.Body, _ head: HTTPAnswerHead) async {
        guard let byteCount = head.contentByteCount, byteCount <= 16 << 10 else { return }
        do {
            for try await _ in body {}
        } catch {
            // The connection is gone, as if the body had been dropped.
        }
    }

    private func response(
        _ head: HTTPAnswerHead,
        _ body: HTTPClientResponse.Body,
        request: FetchRequest,
        hop: HTTPHop,
        _ permit: FetchGate.Permit,
        _ deadline: FetchDeadline
    ) throws(FetchError) -> FetchResponse {
        let tally = try BodyTally(
            byteCountMax: request.byteCountMax,
            expectedByteCount: head.contentByteCount
        )
        let host = configuration.name(of: hop)
        let body = FetchBody {
            var reader = HTTPBodyReader(body, tally, permit, deadline, loader: self, host: host)
            return FetchBody.Iterator { try await reader.next() }
        }
        return FetchResponse(
            origin: .network,
            url: hop.url,
            status: head.status,
            headers: head.fields,
            expectedByteCount: head.contentByteCount,
            body: body
        )
    }
}
