import Calotype
import CalotypeCore
import CalotypeHummingbird
import CalotypeSandbox
import CalotypeServer
import CalotypeSupport
import Foundation
import Logging

/// A run of the service, from start to exit.
struct ServeRun {
    /// The time for cleanup, in addition to the drain.
    private static let grace: Duration = .seconds(15)
    /// Blocks of at least this size belong to one image; they are returned to the system when freed.
    private static let minReturnedByteCount = 1 << 20

    private let settings: ServeSettings
    private let warnings: [String]
    private let signals: AsyncStream<Int32>
    private let read: ServiceReload.Reader?
    private let console: Console
    private let start = ContinuousClock.now

    /// - Parameters:
    ///   - settings: The settings.
    ///   - console: Receives the line about the start.
    ///   - warnings: Warnings about the settings.
    ///   - signals: Signals that do not stop the service, including those from before the start.
    ///   - read: Reads the settings again; `nil` if they cannot be reloaded.
    init(
        _ settings: ServeSettings,
        _ console: Console,
        warnings: [String] = [],
        signals: AsyncStream<Int32>,
        reading read: ServiceReload.Reader? = nil
    ) {
        (self.settings, self.console, self.warnings, self.read) = (settings, console, warnings, read)
        self.signals = signals
    }

    /// Serves until the task is cancelled, then drains.
    ///
    /// - Returns: Success.
    /// - Throws: ``CommandError``, ``CalotypeCache/DiskCacheError`` if it cannot start.
    func run() async throws -> CommandExitCode {
        Heap.returnBlocks(ofAtLeast: Self.minReturnedByteCount)
        SignalHandler.letEnd(within: settings.listeners.drainTimeout + Self.grace)
        let lines = LogLines()
        let log = ServiceLog(logger(lines), settings)
        let processID = ProcessInfo.processInfo.processIdentifier
        let environment = ProcessInfo.processInfo.environment
        let sockets = try SocketActivation(environment, processID: processID)
        let settings = try settings.listening(on: sockets)
        log.starting(processID: processID)
        for warning in warnings { log.logger.warning("\(warning)") }
        let wanted = ServiceParts.wanted(settings)
        let descriptors = try Self.descriptors(wanted)
        let parts = try await ServiceParts.open(
            settings,
            descriptors,
            observer: RequestLog(logger: log.logger, namesClients: settings.logsClients),
            watch: log.watch
        ) { error in
            log.logger.warning("a codec worker did not start", metadata: ["detail": .string(error.detail)])
        }
        let samples = await BlockingPool.command.run { SampleFiles.names(for: settings) }
        let listeners = ServeListeners(
            settings,
            descriptors,
            parts,
            log,
            samples: samples.map { "local:///\($0)" },
            sockets: sockets,
            start: start
        )
        let result = await Result { () async throws -> CommandExitCode in
            let ports = try await listeners.start()
            let warnings = parts.warnings + [descriptors.warning(wanted)].compactMap(\.self)
            for warning in warnings { log.logger.warning("\(warning)") }
            try await tell(ports, parts, descriptors, samples, log)
            let reload = ServiceReload(read, parts, listeners, log.logger)
            let reloading = Task { await reload.run(signals, settings) }
            defer { reloading.cancel() }
            try await listeners.waitForEnd()
            return .success
        }
        // The task may have been cancelled; the cleanup must not be.
        let drain = settings.listeners.drainTimeout
        let ending = await Task { () async throws -> Void in
            if listeners.isServing {
                log.draining(within: drain, connectionCount: listeners.connectionCount)
            }
            await listeners.stop(within: drain)
            try await parts.service.pipeline.shutdown()
            log.stopped(after: .now - start)
            await lines.flush()
        }.result
        try ending.get()
        return try result.get()
    }

    /// Raises the limit on open files, and divides it among the parts.
    ///
    /// - Throws: ``CommandError`` if it is too low.
    private static func descriptors(_ wanted: DescriptorBudget.Wanted) throws -> DescriptorBudget {
        let limit = DescriptorLimit.raise()
        let minLimit = DescriptorBudget.minLimit(coreCount: BlockingPool.coreCount)
        guard limit >= minLimit else {
            throw CommandError(
                .notServing,
                detail: "the process may open \(limit) files and needs \(minLimit); raise LimitNOFILE "
                    + "or `ulimit -n`"
            )
        }
        return DescriptorBudget(limit: limit, wanted)
    }

    private func logger(_ lines: LogLines) -> Logger {
        let isJSON = settings.logsJSON
        var logger = Logger(label: "calotype") { _ in
            LineLogHandler(lines: lines, isJSON: isJSON, timeSource: SystemTimeSource())
        }
        logger.logLevel = Logger.Level(rawValue: settings.logLevel) ?? .info
        return logger
    }

    /// Prints the addresses, the cache sizes, and whether URLs are signed and codecs confined; with a sample,
    /// also the URL of an image.
    private func tell(
        _ ports: ServeListeners.Ports,
        _ parts: ServiceParts,
        _ descriptors: DescriptorBudget,
        _ samples: [String],
        _ log: ServiceLog
    ) async throws {
        let place = settings.place(port: ports.pictures)
        let admin = ports.admin.flatMap { port in settings.listeners.admin.map { "http://\($0.host(port))" } }
        let disk = settings.tiers.disk.map { disk in
            let byteCount = disk.byteCount + disk.originalByteCount
            return "\(Record.Value.readable(byteCount: byteCount)) in \(parts.folder ?? "")"
        }
        let memory = Record.Value.readable(byteCount: settings.tiers.memoryByteCount)
        let locked = parts.sandboxSummary.map { "codecs are locked in: \($0)" } ?? "codecs are not locked in"
        let signing = settings.signingSummary
        log.ready(place, admin: admin, isSigned: settings.isSigned)
        if console.isJSON || settings.logsJSON {
            let record = Record([
                ("pictures", .text(place)), ("admin", admin.map { .text($0) }),
                ("folder", parts.folder.map { .text($0) }), ("signed", .flag(settings.isSigned)),
                ("sandbox", parts.sandboxSummary.map { .text($0) }),
                ("connections", .count(descriptors.connectionCount)),
            ])
            return try await console.write(record, as: record.json)
        }
        try await console.say(
            "pictures on \(place); caches \(memory) in memory and \(disk ?? "nothing") on disk; \(signing); "
                + "\(locked); console: \(admin ?? "off")"
        )
        guard let name = samples.first, settings.service.imgproxy?.baseURL.isEmpty == true else { return }
        let path = "/rs:fit:400:400/plain/local:///\(PathBytes.percentEncoded(name))@webp"
        let target = try parts.service.signed(path, in: .imgproxy)
        try await console.say("a picture: \(place)\(target)")
        try await console.say("the console: \(admin ?? "is off")")
    }
}

extension ListenAddress {
    /// Returns the address with the bound port, as a browser on this machine reaches it.
    func host(_ port: Int) -> String {
        let host = host == "0.0.0.0" ? "127.0.0.1" : host == "::" ? "::1" : host
        return "\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}

extension ServeSettings {
    /// Returns the URL prefix of image paths.
    func place(port: Int) -> String {
        let given = listeners.publicURL
        let base = given.isEmpty ? "http://\(listeners.pictures.host(port))" : given
        return base + listeners.pathPrefix
    }
}
