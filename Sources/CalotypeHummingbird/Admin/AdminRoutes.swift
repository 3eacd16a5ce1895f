import CalotypeCore
package import CalotypeServer
import FoundationEssentials
import HTTPTypes
import NIOCore

/// The routes of an admin listener: metrics, health, purges and the console.
///
/// Responses do not wait for the work of the service, except for an image that the console tries.
package struct AdminRoutes: Sendable {
    /// The addresses and facts of the service that the console shows.
    package struct ConsoleInfo: Hashable, Sendable {
        /// The base URL of the image listener, such as `http://127.0.0.1:8080`; empty if unknown.
        package var pictures: String
        /// Whether URLs need a signature.
        package var isSigned: Bool
        /// Suggested sources; none unless set.
        package var samples: [String] = []

        package init(pictures: String, isSigned: Bool) {
            (self.pictures, self.isSigned) = (pictures, isSigned)
        }
    }

    let service: ImageService
    let statistics: ServiceStatistics
    let access: AdminAccess
    /// The addresses and facts of the service that the console shows.
    package let place: ConsoleInfo
    let readings: @Sendable () -> ServiceReadings
    /// Called for each purge, with its request; none unless set.
    package var purgeHandler: (@Sendable (PurgeSelection, PurgeReport, ListenerRequest) -> Void)?

    /// Creates the routes.
    ///
    /// - Parameters:
    ///   - service: The service.
    ///   - statistics: The statistics of the service.
    ///   - access: The access rule.
    ///   - place: The facts for the console.
    ///   - readings: Returns the current readings; must not block.
    package init(
        _ service: ImageService,
        statistics: ServiceStatistics,
        access: AdminAccess,
        place: ConsoleInfo,
        readings: @escaping @Sendable () -> ServiceReadings
    ) {
        (self.service, self.statistics, self.access) = (service, statistics, access)
        (self.place, self.readings) = (place, readings)
    }

    /// Returns the response to a request.
    ///
    /// - Throws: `CancellationError` if the client has disconnected.
    package func response(to request: ListenerRequest) async throws -> ListenerResponse {
        let path = String(request.target.prefix { $0 != "?" })
        guard let route = Route(rawValue: path) else {
            return .line(.notFound, "Not found")
        }
        let method = request.head.method
        guard route.methods.contains(method) else {
            let methods = route.methods.map(\.rawValue).joined(separator: ", ")
            return .line(.methodNotAllowed, "Method not allowed; use \(methods)", [.allow: methods])
        }
        if let refusal = access.refusal(of: request.head, isOpen: route.isOpen) {
            var fields = HTTPFields()
            if refusal == .token { fields[.wwwAuthenticate] = "Bearer realm=\"calotype\"" }
            return .line(refusal.status, refusal.text, fields)
        }
        return try await answer(route, request)
    }

    private func answer(_ route: Route, _ request: ListenerRequest) async throws -> ListenerResponse {
        switch route {
        case .console: return .page(ConsolePage.html, type: "text/html; charset=utf-8")
        case .style: return .page(ConsolePage.style, type: "text/css; charset=utf-8")
        case .script: return .page(ConsolePage.script, type: "text/javascript; charset=utf-8")
        case .live: return .line(.ok, "ok")
        case .ready:
            return readings().isReady ? .line(.ok, "ok") : .line(.serviceUnavailable, "not ready")
        case .metrics:
            let text = PrometheusText.text(statistics.snapshot, readings())
            return .page(text, type: PrometheusText.mediaType)
        case .status: return .json(try StatusDocument(statistics.snapshot, readings()).json())
        case .place: return .json(try JSONEncoder().encode(PlaceDocument(place)))
        case .sign: return sign(request)
        case .picture: return try await picture(request)
        case .purge: return try await purge(request)
        }
    }
}

/// The routes of an admin listener.
enum Route: String, CaseIterable {
    case console = "/"
    case style = "/console.css"
    case script = "/console.js"
    case live = "/health/live"
    case ready = "/health/ready"
    case metrics = "/metrics"
    case status = "/status.json"
    case place = "/place.json"
    case sign = "/sign"
    case picture = "/picture"
    case purge = "/purge"

    var methods: [HTTPRequest.Method] {
        switch self {
        case .sign, .picture, .purge: [.post]
        default: [.get, .head]
        }
    }

    /// Whether no token is needed: health checks, and pages without data of the service.
    var isOpen: Bool {
        switch self {
        case .console, .style, .script, .live, .ready: true
        default: false
        }
    }
}

private struct PlaceDocument: Encodable {
    let pictures: String
    let signed: Bool
    let samples: [String]

    init(_ place: AdminRoutes.ConsoleInfo) {
        (pictures, signed, samples) = (place.pictures, place.isSigned, place.samples)
    }
}

extension ListenerResponse {
    static func page(_ text: String, type: String) -> ListenerResponse {
        ListenerResponse(
            head: HTTPResponse(status: .ok, headerFields: fields(type)),
            body: ByteBuffer(string: text)
        )
    }

    static func json(_ data: Data, _ status: HTTPResponse.Status = .ok) -> ListenerResponse {
        ListenerResponse(
            head: HTTPResponse(status: status, headerFields: fields("application/json")),
            body: ByteBuffer(bytes: data)
        )
    }

    /// The fields that restrict what a page can do.
    private static func fields(_ type: String) -> HTTPFields {
        var fields: HTTPFields = [
            .contentType: type, .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
            .contentSecurityPolicy: policy,
        ]
        for (name, value) in [
            ("Referrer-Policy", "no-referrer"), ("X-Frame-Options", "DENY"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ] {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        return fields
    }

    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
        "img-src 'self' blob: data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")
}
