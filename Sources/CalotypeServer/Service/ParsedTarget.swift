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

/// The pipeline requests for a rendering, by the format that a client gets.
final class NegotiatedRequests: Sendable {
    private let rendering: Rendering
    private let configuration: ImageService.Configuration
    /// The requests for each offered format, and for the original's.
    private let requests: [Negotiation: ImageRequest]
    /// The last requests for originals in formats that clients refused, made when a client does; few do.
    private let others = Guarded<[Negotiation: ImageRequest]>([:])

    init(_ rendering: Rendering, _ configuration: ImageService.Configuration) throws(RequestError) {
        (self.rendering, self.configuration) = (rendering, configuration)
        var requests: [Negotiation: ImageRequest] = [:]
        for format in [nil] + (rendering.isNegotiated ? configuration.offers.map(Optional.some) : []) {
            let negotiation = Negotiation(format: format)
            requests[negotiation] = try Self.request(negotiation, rendering, configuration)
        }
        self.requests = requests
        requestByteCount = 2_048 + (requests.values.map(\.keyByteCount).max() ?? 0)
    }

    private static let maxOtherCount = 2

    /// The maximum number of requests.
    var maxCount: Int { requests.count + Self.maxOtherCount }

    /// The approximate bytes of each request, with its key.
    let requestByteCount: Int

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
        if rendering.output != .original, request.decoding.light != configuration.light {
            request.decoding.light = configuration.light
        }
        return request
    }

    /// Returns the request for a negotiated format; `nil` for a format that is not offered.
    func request(for negotiation: Negotiation) throws(RequestError) -> ImageRequest? {
        if let request = requests[negotiation] { return request }
        guard negotiation.format == nil, rendering.isNegotiated else { return nil }
        if let request = others.withLock({ $0[negotiation] }) { return request }
        let request = try Self.request(negotiation, rendering, configuration)
        others.withLock { others in
            if others.count >= Self.maxOtherCount { others = [:] }
            others[negotiation] = request
        }
        return request
    }
}

/// A parsed target with its pipeline requests; a target is parsed once, however often it is requested.
final class ParsedTarget: Sendable {
    let rendering: Rendering
    let original: ImageRequest
    /// The requests for results; without the pixels of watermarks.
    let requests: NegotiatedRequests
    let watermarks: [TargetWatermark]
    private let configuration: ImageService.Configuration
    let disposition: ContentDisposition
    let recentHeads = RecentResponseFields()
    /// The URL of the original for logs, without query, and without users of URLs in its path.
    let sourceText: String
    /// Whether client hints decide the result, so that the response varies with them.
    let isHinted: Bool

    init(
        _ rendering: Rendering,
        _ configuration: ImageService.Configuration,
        isHinted: Bool = false
    ) throws(RequestError) {
        (self.rendering, self.configuration, self.isHinted) = (rendering, configuration, isHinted)
        var original = rendering.originalRequest(
            limits: configuration.limits,
            damage: configuration.damage,
            localRoot: configuration.localRoot
        )
        original.timeout = configuration.timeout
        self.original = original
        requests = try NegotiatedRequests(rendering, configuration)
        var watermarks: [TargetWatermark] = []
        for source in rendering.watermarkSources {
            watermarks.append(try TargetWatermark(source, configuration))
        }
        self.watermarks = watermarks
        disposition = ContentDisposition(
            rendering,
            isAttachmentByDefault: configuration.isAttachmentByDefault
        )
        sourceText = LoggedPath.text(of: rendering.source.description)
    }

    /// Returns the negotiation of a client's `Accept`.
    ///
    /// Without offers the field has no effect, since responses do not vary with it.
    ///
    /// - Parameters:
    ///   - accepted: The field.
    ///   - excluded: An offer that is not made.
    /// - Returns: The negotiation.
    func negotiation(_ accepted: AcceptHeader, without excluded: ImageFormat? = nil) -> Negotiation {
        guard rendering.isNegotiated, !configuration.offers.isEmpty else { return Negotiation() }
        let offers = configuration.offers.filter { $0 != excluded }
        if let format = accepted.best(of: offers) { return Negotiation(format: format) }
        return Negotiation(refused: accepted.refused(of: configuration.encodings.preservedFormats))
    }

    /// Returns its approximate size in bytes, with the keys of its requests.
    func cost(of target: String) -> Int {
        2 * target.utf8.count + requests.maxCount * requests.requestByteCount
            + 2_048 * (4 + watermarks.count)
    }
}
