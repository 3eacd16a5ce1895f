import Calotype
import CalotypeCore
import FoundationEssentials

/// A parsed target with its pipeline requests; a target is parsed once, however often it is requested.
final class ParsedTarget: Sendable {
    let rendering: Rendering
    let original: ImageRequest
    /// The requests for each negotiable format; `nil` for the original's. Without the pixels of watermarks.
    let requests: [ImageFormat?: ImageRequest]
    let watermarks: [TargetWatermark]
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
        (self.rendering, self.isHinted) = (rendering, isHinted)
        var original = rendering.originalRequest(
            limits: configuration.limits,
            localRoot: configuration.localRoot
        )
        original.timeout = configuration.timeout
        self.original = original
        requests = try Self.requests(for: rendering, configuration)
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

    /// Returns the request for each negotiable format.
    static func requests(
        for rendering: Rendering,
        _ configuration: ImageService.Configuration
    ) throws(RequestError) -> [ImageFormat?: ImageRequest] {
        var requests: [ImageFormat?: ImageRequest] = [:]
        for format in [nil] + (rendering.isNegotiated ? configuration.offers.map(Optional.some) : []) {
            var request = try rendering.request(
                negotiated: format,
                defaults: configuration.encodings,
                limits: configuration.limits,
                localRoot: configuration.localRoot
            )
            request.timeout = configuration.timeout
            requests[format] = request
        }
        return requests
    }

    /// Returns its approximate size in bytes.
    func cost(of target: String) -> Int {
        2 * target.utf8.count + 2_048 * (1 + requests.count + watermarks.count)
    }
}
