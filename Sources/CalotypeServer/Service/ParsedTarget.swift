import Calotype
import CalotypeCore
import FoundationEssentials

/// A parsed target with its pipeline requests; a target is parsed once, however often it is requested.
final class ParsedTarget: Sendable {
    let rendering: Rendering
    let original: ImageRequest
    /// The requests for each negotiable format; `nil` for the original's.
    let requests: [ImageFormat?: ImageRequest]
    let disposition: ContentDisposition
    let recentHeads = RecentResponseFields()
    /// The URL of the original for logs, without query, and without users of URLs in its path.
    let sourceText: String

    init(_ rendering: Rendering, _ configuration: ImageService.Configuration) throws(RequestError) {
        self.rendering = rendering
        var original = rendering.originalRequest(
            limits: configuration.limits,
            localRoot: configuration.localRoot
        )
        original.timeout = configuration.timeout
        self.original = original
        var requests: [ImageFormat?: ImageRequest] = [:]
        for format in [nil] + (rendering.isNegotiated ? configuration.offers.map(Optional.some) : []) {
            var request = try rendering.request(
                negotiated: format,
                defaults: configuration.encodings,
                limits: configuration.limits,
                localRoot: configuration.localRoot
            )
            request.timeout = configuration.timeout
            if rendering.output != .original { request.decoding.light = configuration.light }
            requests[format] = request
        }
        self.requests = requests
        disposition = ContentDisposition(
            rendering,
            isAttachmentByDefault: configuration.isAttachmentByDefault
        )
        sourceText = LoggedPath.text(of: rendering.source.description)
    }

    /// Returns its approximate size in bytes.
    func cost(of target: String) -> Int { 2 * target.utf8.count + 2_048 * (1 + requests.count) }
}
