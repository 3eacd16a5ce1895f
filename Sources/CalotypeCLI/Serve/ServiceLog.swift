import CalotypeHummingbird
import CalotypeServer
import Logging

/// The log lines about the service, as opposed to single requests.
struct ServiceLog: Sendable {
    let logger: Logger
    /// Whether lines contain client addresses.
    let namesClients: Bool

    init(_ logger: Logger, _ settings: ServeSettings) {
        self.logger = logger
        namesClients = settings.logsClients
    }

    /// Logs each change of the disk cache from working to failing and back.
    var watch: PipelineMonitor {
        let logger = logger
        return PipelineMonitor { change in
            switch change {
            case .fails(let operation, let reason):
                let metadata: Logger.Metadata = ["operation": "\(operation)", "error": "\(reason)"]
                logger.warning("the disk cache fails; images are served without it", metadata: metadata)
            case .works(let operation):
                logger.notice("the disk cache works again", metadata: ["operation": "\(operation)"])
            }
        }
    }

    func starting(processID: Int32) {
        let metadata: Logger.Metadata = [
            "version": .string(Version.current), "pid": .stringConvertible(Int(processID)),
        ]
        logger.notice("starting", metadata: metadata)
    }

    func ready(_ pictures: String, admin: String?, isSigned: Bool) {
        var metadata: Logger.Metadata = ["pictures": .string(pictures), "signed": .string("\(isSigned)")]
        if let admin { metadata["admin"] = .string(admin) }
        logger.notice("ready", metadata: metadata)
    }

    func draining(within time: Duration, connectionCount: Int) {
        let metadata: Logger.Metadata = [
            "within": .string(ServeSetting.time(time)), "connections": .stringConvertible(connectionCount),
        ]
        logger.notice("draining", metadata: metadata)
    }

    func stopped(after uptime: Duration) {
        logger.notice("stopped", metadata: ["uptime": .string("\(uptime.components.seconds)s")])
    }

    func purged(_ selection: PurgeSelection, _ report: PurgeReport, of request: ListenerRequest) {
        var metadata: Logger.Metadata = [
            "originals": .stringConvertible(report.originals), "results": .stringConvertible(report.results),
            "id": .string(request.id),
        ]
        switch selection {
        case .source(let text): metadata["source"] = .string(Self.shown(text))
        case .prefix(let text): metadata["prefix"] = .string(Self.shown(text))
        case .all: metadata["all"] = .string("true")
        }
        if namesClients, let client = request.client { metadata["client"] = .string(client) }
        logger.notice("purged", metadata: metadata)
    }

    /// Returns a URL without its query, which may be secret.
    private static func shown(_ text: String) -> String {
        SafeText.shortened(String(text.prefix { $0 != "?" }))
    }
}
