import Calotype
import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// The result of negotiating a format: all of a client's `Accept` that a result depends on.
struct Negotiation: Hashable, Sendable {
    /// The offered format; `nil` for the original's.
    var format: ImageFormat?
    /// The formats that the original loses; empty with an offered format.
    var refused: Set<ImageFormat> = []
}

/// A parsed target with its pipeline requests; a target is parsed once, however often it is requested.
final class ParsedTarget: Sendable {
    let rendering: Rendering
    let original: ImageRequest
    /// The requests for each offered format, and for the original's.
    private let requests: [Negotiation: ImageRequest]
    /// The requests for originals in formats that clients refused, made when a client does; few clients do.
    private let others = Guarded<[Negotiation: ImageRequest]>([:])
    private let configuration: ImageService.Configuration
    let disposition: ContentDisposition
    let recentHeads = RecentResponseFields()
    /// The URL of the original for logs, without query, and without users of URLs in its path.
    let sourceText: String

    init(_ rendering: Rendering, _ configuration: ImageService.Configuration) throws(RequestError) {
        self.rendering = rendering
        self.configuration = configuration
        var original = rendering.originalRequest(
            limits: configuration.limits,
            damage: configuration.damage,
            localRoot: configuration.localRoot
        )
        original.timeout = configuration.timeout
        self.original = original
        var requests: [Negotiation: ImageRequest] = [:]
        for format in [nil] + (rendering.isNegotiated ? configuration.offers.map(Optional.some) : []) {
            let negotiation = Negotiation(format: format)
            requests[negotiation] = try Self.request(negotiation, rendering, configuration)
        }
        self.requests = requests
        disposition = ContentDisposition(
            rendering,
            isAttachmentByDefault: configuration.isAttachmentByDefault
        )
        sourceText = LoggedPath.text(of: rendering.source.description)
    }

    private static func request(
        _ negotiation: Negotiation,
        _ rendering: Rendering,
        _ configuration: ImageService.Configuration
    ) throws(RequestError) -> ImageRequest {
        var request = try rendering.request(
            negotiated: negotiation.format,
            refused: negotiation.refused,
            defaults: configuration.encodings,
            limits: configuration.limits,
            damage: configuration.damage,
            localRoot: configuration.localRoot
        )
        request.timeout = configuration.timeout
        return request
    }

    /// Returns the request for a negotiated format; `nil` for a format that is not offered.
    func request(for negotiation: Negotiation) throws(RequestError) -> ImageRequest? {
        if let request = requests[negotiation] { return request }
        guard negotiation.format == nil, rendering.isNegotiated else { return nil }
        if let request = others.withLock({ $0[negotiation] }) { return request }
        let request = try Self.request(negotiation, rendering, configuration)
        others.withLock { $0[negotiation] = request }
        return request
    }

    /// Returns the negotiation of a client's `Accept`.
    ///
    /// Without offers the field has no effect, since responses do not vary with it.
    func negotiation(_ accepted: AcceptHeader) -> Negotiation {
        guard rendering.isNegotiated, !configuration.offers.isEmpty else { return Negotiation() }
        if let format = accepted.best(of: configuration.offers) { return Negotiation(format: format) }
        return Negotiation(refused: accepted.refused(of: configuration.encodings.preservedFormats))
    }

    /// Returns its approximate size in bytes.
    func cost(of target: String) -> Int { 2 * target.utf8.count + 2_048 * (4 + requests.count) }
}
