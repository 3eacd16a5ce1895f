internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeLoading
internal import FoundationEssentials

/// The parts of a request that depend on the configuration.
///
/// A class, because a call of a method of the configuration copies it whole, which takes longer than the
/// method.
final class RequestSettings: Sendable {
    private let configuration: ImagePipeline.Configuration

    init(_ configuration: ImagePipeline.Configuration) {
        self.configuration = configuration
    }

    /// Returns the identity without waiting; `nil` for a local file, which has to be examined.
    func identityAtOnce(of request: ImageRequest) -> RequestIdentity? {
        if let plain = request.plainIdentity.value, configuration.sourceIdentity == nil,
            !configuration.loader.hasCacheIdentity || loaderIdentity(of: request).isEmpty
        {
            return plain
        }
        guard !request.isLocalFile, request.refusedText == nil else { return nil }
        return RequestIdentity(source: source(of: request), variant: request.variantIdentity)
    }

    /// Returns the identity of a request for a local file of a version; a missing file has none, and the
    /// loader reports the error.
    func identity(ofFile request: ImageRequest, _ version: FileVersion?) -> RequestIdentity {
        let source = source(of: request)
        return RequestIdentity(
            source: version.map { "\(source)#\($0.text)" } ?? source,
            variant: request.variantIdentity
        )
    }

    private func source(of request: ImageRequest) -> String {
        request.sourceIdentity(
            neutralNames: configuration.neutralHeaderNames,
            loaderIdentity: loaderIdentity(of: request),
            filteredBy: configuration.sourceIdentity ?? { $0.absoluteString }
        )
    }

    private func loaderIdentity(of request: ImageRequest) -> String {
        let fetch = FetchRequest(url: request.url, headers: request.headers, priority: Self.anyPriority)
        return loader(for: request).cacheIdentity(for: fetch)
    }

    /// True if a request is loaded with credentials: in its header fields, in its URL, or of the loader, of
    /// which any identity may be that of an account.
    func usesCredentials(_ request: ImageRequest) -> Bool {
        // Plain requests have neither header fields nor credentials in the URL.
        if request.plainIdentity.value == nil {
            let isNamed = request.headers.contains {
                ["authorization", "cookie"].contains($0.name.lowercased())
            }
            if isNamed || request.url.user != nil || request.url.password != nil { return true }
        }
        return loader(for: request).hasCacheIdentity && !loaderIdentity(of: request).isEmpty
    }

    func loader(for request: ImageRequest) -> any DataLoader {
        request.optionsBox?.options.loader?.value ?? configuration.loader
    }

    func codecs(for request: ImageRequest) -> CodecRegistry {
        request.optionsBox?.options.codecs?.value ?? configuration.cache.codecPool.codecs
    }

    func serializer(for request: ImageRequest) -> (any CacheSerializer)? {
        request.optionsBox?.options.serializer?.value ?? configuration.serializer
    }

    /// Returns the time limit of a call.
    func timeout(of request: ImageRequest) -> Duration { request.timeout ?? configuration.timeout }

    /// Returns the deadline of a call that begins now.
    func deadline(of request: ImageRequest) -> CallDeadline { CallDeadline(after: timeout(of: request)) }

    /// A placeholder for key lookups; allocating one for each hit would take longer than the hit.
    static let anyPriority = LivePriority()
}
