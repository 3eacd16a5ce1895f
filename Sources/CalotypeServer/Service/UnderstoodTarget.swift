import Calotype
import CalotypeCore
import FoundationEssentials

/// What a target asks for, with the requests that have been made of it: it is read once, however often it is
/// asked for.
final class UnderstoodTarget: Sendable {
    let rendering: Rendering
    /// The original's own bytes.
    let original: ImageRequest
    /// The pictures, for each format that a client may have chosen; `nil` for the original's.
    let requests: [ImageFormat?: ImageRequest]
    /// How its answers are shown or saved.
    let disposition: ContentDisposition
    let recentHeads = RecentHeads()
    /// For logs: where the original is, without query, and without users of URLs in its path.
    let sourceText: String

    /// Makes the requests.
    ///
    /// - Throws: ``RequestError``.
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
            requests[format] = request
        }
        self.requests = requests
        disposition = ContentDisposition(rendering, savesByDefault: configuration.savesByDefault)
        sourceText = LoggedPath.text(of: rendering.source.description)
    }

    /// About the bytes that it takes.
    func cost(of target: String) -> Int { 2 * target.utf8.count + 2_048 * (1 + requests.count) }
}
