import CalotypeHummingbird
import CalotypeSandbox
import CalotypeServer
import CalotypeSupport
import Logging

/// The listeners of a service: one for images, and one for administration.
final class ServeListeners: Sendable {
    struct Ports: Sendable {
        var pictures: Int
        /// `nil` if there is no admin listener.
        var admin: Int?
    }

    private enum Event: Sendable {
        case ready(isAdmin: Bool, port: Int)
        case ended(isAdmin: Bool, Result<Void, any Error>)
    }

    /// The responders of both listeners, replaced together.
    private final class Answers: Sendable {
        private struct State {
            var pictures: ServiceResponder
            var admin: AdminRoutes?
        }

        private let state: Guarded<State>

        init(_ pictures: ServiceResponder) {
            state = Guarded(State(pictures: pictures))
        }

        var pictures: ServiceResponder { state.withLock(\.pictures) }

        var admin: AdminRoutes? { state.withLock(\.admin) }

        func change(to pictures: ServiceResponder, _ admin: AdminRoutes?) {
            state.withLock { $0 = State(pictures: pictures, admin: admin) }
        }
    }

    private let trims = BlockingPool(width: 1, name: "trim")
    private let settings: ServeSettings
    private let descriptors: DescriptorBudget
    private let parts: ServiceParts
    private let log: ServiceLog
    private let samples: [String]
    private let sockets: SocketActivation
    private let answers: Answers
    private let reloads = Guarded(["failed": 0, "succeeded": 0])
    private let startTime: ContinuousClock.Instant
    private let isReady = Guarded(false)
    private let pictures: Listener
    private let admin = Guarded<Listener?>(nil)
    private let tasks = Guarded<[Task<Void, Never>]>([])
    private let events: AsyncStream<Event>
    private let sink: AsyncStream<Event>.Continuation

    init(
        _ settings: ServeSettings,
        _ descriptors: DescriptorBudget,
        _ parts: ServiceParts,
        _ log: ServiceLog,
        samples: [String],
        sockets: SocketActivation = .none,
        start: ContinuousClock.Instant
    ) {
        self.sockets = sockets
        (self.settings, self.descriptors) = (settings, descriptors)
        (self.parts, self.log, self.samples) = (parts, log, samples)
        var limits = settings.listeners.limits
        limits.maxConnectionCount = descriptors.connectionCount
        // Only uploads have a body, which the listener passes on as it arrives.
        limits.collectsBodies = false
        startTime = start
        (events, sink) = AsyncStream.makeStream()
        let answers = Answers(Self.responder(parts.service, parts, settings))
        self.answers = answers
        let statistics = parts.statistics
        pictures = Listener(
            Self.place(settings.listeners.pictures, sockets.pictures, settings),
            limits: limits,
            // Cache hits are answered at once; all other work runs on threads of its own.
            answersOnEventLoop: true,
            logger: Self.quiet(log.logger),
            // Returns the memory of closed connections to the system.
            fallHandler: { [trims] in trims.enqueue { Heap.trim() } },
            refusalHandler: { status, id in
                var record = ServiceRecord(requestID: id, status: status, duration: .zero)
                record.errorCode = "malformedRequest"
                statistics.didRespond(record)
            },
            refusalFields: { answers.pictures.crossOriginFields(for: $0) },
            intake: { answers.pictures.intake($0) }
        ) { try await answers.pictures.response(to: $0) }
    }

    private static func responder(
        _ service: ImageService,
        _ parts: ServiceParts,
        _ settings: ServeSettings
    ) -> ServiceResponder {
        ServiceResponder(service, below: settings.listeners.pathPrefix, observer: parts.statistics)
    }

    private static func place(
        _ address: ListenAddress,
        _ socket: ListeningSocket?,
        _ settings: ServeSettings
    ) -> ListenerAddress {
        var place = ListenerAddress(host: address.host, port: address.port)
        place.descriptor = socket?.descriptor
        place.sharesPort = settings.listeners.sharesPorts
        return place
    }

    /// Answers all later requests by another service.
    func answer(by service: ImageService, _ settings: ServeSettings) {
        let admin = answers.admin.map { routes(service, settings, console: $0.place) }
        answers.change(to: Self.responder(service, parts, settings), admin)
    }

    var isServing: Bool { isReady.withLock(\.self) }

    var connectionCount: Int { pictures.connectionCount }

    func noteReload(isSuccessful: Bool) {
        reloads.withLock { $0[isSuccessful ? "succeeded" : "failed", default: 0] += 1 }
    }

    /// Starts listening.
    ///
    /// - Returns: The ports, once all of them accept requests.
    /// - Throws: ``CommandError`` if an address cannot be used.
    func start() async throws -> Ports {
        run(pictures, isAdmin: false)
        guard case .port(let port) = await nextPort() else { throw failure(settings.listeners.pictures) }
        var ports = Ports(pictures: port, admin: nil)
        if let address = settings.listeners.admin {
            let listener = adminListener(address, place: settings.place(port: port))
            admin.withLock { $0 = listener }
            run(listener, isAdmin: true)
            guard case .port(let port) = await nextPort() else { throw failure(address) }
            ports.admin = port
        }
        isReady.withLock { $0 = true }
        return ports
    }

    /// Returns when the task is cancelled.
    ///
    /// - Throws: ``CommandError`` if a listener stops by itself.
    func waitForEnd() async throws {
        for await event in events {
            guard case .ended(_, let result) = event else { continue }
            if case .failure(let error) = result { lastFailure.withLock { $0 = "\(error)" } }
            throw failure(settings.listeners.pictures)
        }
    }

    /// Stops accepting connections, and completes responses in progress; cancels those that take longer.
    func stop(within time: Duration) async {
        isReady.withLock { $0 = false }
        let tasks = tasks.withLock(\.self)
        let end = Task {
            do {
                try await ContinuousClock().sleep(for: time)
                for task in tasks { task.cancel() }
            } catch {
                // All of them ended before.
            }
        }
        let admin = admin.withLock(\.self)
        // Another process that listens on the same port must be reachable there.
        let sharesAdmin = settings.listeners.sharesPorts || sockets.admin != nil
        let stopping = Task {
            async let stoppingPictures: Void = pictures.stop()
            if sharesAdmin { await admin?.stop() }
            await stoppingPictures
            await admin?.stop()
        }
        for task in tasks { await task.value }
        end.cancel()
        stopping.cancel()
        sink.finish()
    }

    private enum Start {
        case port(Int)
        case failed
    }

    private let lastFailure = Guarded("")

    private func nextPort() async -> Start {
        for await event in events {
            switch event {
            case .ready(_, let port): return .port(port)
            case .ended(_, let result):
                if case .failure(let error) = result { lastFailure.withLock { $0 = "\(error)" } }
                return .failed
            }
        }
        return .failed
    }

    private func failure(_ address: ListenAddress) -> any Error {
        if Task.isCancelled { return CancellationError() }
        let reason = lastFailure.withLock(\.self)
        return CommandError(.notServing, detail: "cannot listen on \(address): \(reason)")
    }

    private func run(_ listener: Listener, isAdmin: Bool) {
        let sink = sink
        let task = Task {
            let result = await Result {
                try await listener.run { sink.yield(.ready(isAdmin: isAdmin, port: $0)) }
            }
            sink.yield(.ended(isAdmin: isAdmin, result))
        }
        tasks.withLock { $0.append(task) }
    }

    private func adminListener(_ address: ListenAddress, place: String) -> Listener {
        var limits = ListenerLimits()
        limits.maxConnectionCount = descriptors.adminConnectionCount
        var console = AdminRoutes.ConsoleInfo(pictures: place, isSigned: settings.isSigned)
        console.samples = samples
        let routes = routes(parts.service, settings, console: console)
        answers.change(to: answers.pictures, routes)
        let answers = answers
        return Listener(
            Self.place(address, sockets.admin, settings),
            limits: limits,
            logger: Self.quiet(log.logger)
        ) { try await (answers.admin ?? routes).response(to: $0) }
    }

    private func routes(
        _ service: ImageService,
        _ settings: ServeSettings,
        console place: AdminRoutes.ConsoleInfo
    ) -> AdminRoutes {
        var place = place
        place.isSigned = settings.isSigned
        var routes = AdminRoutes(
            service,
            statistics: parts.statistics,
            access: AdminAccess(token: settings.listeners.adminToken),
            place: place
        ) { [self] in readings }
        routes.purgeHandler = { [log] in log.purged($0, $1, of: $2) }
        return routes
    }

    private var readings: ServiceReadings {
        var readings = parts.service.readings
        readings.connections = .init(pictures.connectionCount, of: descriptors.connectionCount)
        readings.isReady = isReady.withLock(\.self)
        readings.uptime = ContinuousClock.now - startTime
        readings.version = Version.current
        readings.pipeline = parts.watch.counts
        readings.reloadCounts = reloads.withLock(\.self)
        readings.workers = parts.workers?.statistics
        return readings
    }

    /// Log lines of the web framework below `warning` are of no use to operators.
    private static func quiet(_ logger: Logger) -> Logger {
        var logger = logger
        logger.logLevel = max(logger.logLevel, .warning)
        return logger
    }
}
