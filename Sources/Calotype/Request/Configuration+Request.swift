internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeLoading
internal import FoundationEssentials

/// The parts of a request that depend on the configuration.
extension ImagePipeline.Configuration {
    /// Returns the identity without waiting; `nil` for a local file, which has to be examined.
    func identityAtOnce(of request: ImageRequest) -> RequestIdentity? {
        if let plain = request.plainIdentity.value, sourceIdentity == nil,
            !loader.hasCacheIdentity || loaderIdentity(of: request).isEmpty
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
            neutralNames: neutralHeaderNames,
            loaderIdentity: loaderIdentity(of: request),
            filteredBy: sourceIdentity ?? { $0.absoluteString }
        )
    }

    private func loaderIdentity(of request: ImageRequest) -> String {
        let fetch = FetchRequest(url: request.url, headers: request.headers, priority: Self.anyPriority)
        return loader(for: request).cacheIdentity(for: fetch)
    }

    func loader(for request: ImageRequest) -> any DataLoader {
        request.optionsBox?.options.loader?.value ?? loader
    }

    func codecs(for request: ImageRequest) -> CodecRegistry {
        request.optionsBox?.options.codecs?.value ?? cache.codecPool.codecs
    }

    func serializer(for request: ImageRequest) -> (any CacheSerializer)? {
        request.optionsBox?.options.serializer?.value ?? serializer
    }

    /// Returns the time limit of a call.
    func timeout(of request: ImageRequest) -> Duration { request.timeout ?? timeout }

    /// A placeholder for key lookups; allocating one for each hit would take longer than the hit.
    static let anyPriority = LivePriority()
}
