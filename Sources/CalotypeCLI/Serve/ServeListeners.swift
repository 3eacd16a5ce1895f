import CalotypeHummingbird
import CalotypeSandbox
import CalotypeServer
import CalotypeSupport
import Logging

/// The listeners of a service: one for pictures, one for whoever operates it.
final class ServeListeners: Sendable {
    /// The ports that are listened on.
    struct Ports: Sendable {
        var pictures: Int
        /// `nil` where there is no admin listener.
        var admin: Int?
    }

    private enum Event: Sendable {
        case ready(isAdmin: Bool, port: Int)
        case ended(isAdmin: Bool, Result<Void, any Error>)
    }

    private let trims = BlockingPool(width: 1, name: "trim")
    private let settings: ServeSettings
    private let descriptors: DescriptorBudget
    private let parts: ServiceParts
    private let logger: Logger
    private let samples: [String]
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
        _ logger: Logger,
        samples: [String],
        start: ContinuousClock.Instant
    ) {
        (self.settings, self.descriptors) = (settings, descriptors)
        (self.parts, self.logger, self.samples) = (parts, logger, samples)
        var limits = settings.listeners.limits
        limits.connectionCountMax = descriptors.connectionCount
        // No route has a use for one.
        limits.keepsBodies = false
        startTime = start
        (events, sink) = AsyncStream.makeStream()
        let responder = ServiceResponder(
            parts.service,
            below: settings.listeners.pathPrefix,
            observer: parts.statistics
        )
        let address = settings.listeners.pictures
        let statistics = parts.statistics
        pictures = Listener(
            host: address.host,
            port: address.port,
            limits: limits,
            // What is kept is answered at once; all else waits on threads of its own.
            answersOnEventLoop: true,
            logger: Self.quiet(logger),
            // Memory of ended connections is returned to the system.
            fallHandler: { [trims] in trims.enqueue { Heap.trim() } },
            refusalHandler: { status, id in
                var record = ServiceRecord(requestID: id, status: status, duration: .zero)
                record.errorCode = "malformedRequest"
                statistics.answered(record)
            }
        ) { try await responder.answer($0) }
    }

    /// Begins to listen.
    ///
    /// - Returns: The ports, once requests are taken on all of them.
    /// - Throws: ``CommandError`` where an address cannot be had.
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
    /// - Throws: ``CommandError`` where a listener has ended by itself.
    func waitForEnd() async throws {
        for await event in events {
            guard case .ended(_, let result) = event else { continue }
            if case .failure(let error) = result { lastFailure.withLock { $0 = "\(error)" } }
            throw failure(settings.listeners.pictures)
        }
    }

    /// Is no longer ready, takes no more connections, and answers what has been asked; what takes longer is
    /// broken off.
    func stop(within time: Duration) async {
        isReady.withLock { $0 = false }
        let tasks = tasks.withLock(\.self)
        let end = Task {
            do {
                try await ContinuousClock().sleep(for: time)
                for task in tasks { task.cancel() }
            } catch {
                // All have ended before.
            }
        }
        let admin = admin.withLock(\.self)
        let stopping = Task {
            await pictures.stop()
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
        limits.connectionCountMax = descriptors.adminConnectionCount
        var console = AdminRoutes.Place(pictures: place, isSigned: settings.isSigned)
        console.samples = samples
        let routes = AdminRoutes(
            parts.service,
            statistics: parts.statistics,
            access: AdminAccess(token: settings.listeners.adminToken),
            place: console
        ) { [self] in readings }
        return Listener(
            host: address.host,
            port: address.port,
            limits: limits,
            logger: Self.quiet(logger)
        ) { try await routes.answer($0) }
    }

    private var readings: ServiceReadings {
        var readings = parts.service.readings
        readings.connections = .init(pictures.connectionCount, of: descriptors.connectionCount)
        readings.isReady = isReady.withLock(\.self)
        readings.uptime = ContinuousClock.now - startTime
        readings.version = Program.version
        readings.pipeline = parts.watch.counts
        readings.workers = parts.workers.map { .init($0.statistics) }
        return readings
    }

    /// What the web framework says of itself is for whoever looks for a fault.
    private static func quiet(_ logger: Logger) -> Logger {
        var logger = logger
        logger.logLevel = max(logger.logLevel, .warning)
        return logger
    }
}

extension ServiceReadings.Workers {
    /// What is counted of workers; each reason is there, so that a rate has a beginning.
    init(_ counted: CodecWorkers.Statistics) {
        self.init()
        (processCount, busyCount) = (counted.processCount, counted.busyCount)
        (startedCount, jobCount) = (counted.startedCount, counted.jobCount)
        for loss in CodecWorkers.Loss.allCases {
            replacedCounts[loss.rawValue] = counted.lossCounts[loss, default: 0]
        }
        replacedCounts["renewed"] = counted.renewedCount
    }
}
