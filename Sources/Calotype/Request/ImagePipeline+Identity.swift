internal import CalotypeCodecs
internal import CalotypeLoading
internal import CalotypeSupport
internal import FoundationEssentials

extension ImagePipeline {
    /// Returns the source of a request's bytes, and the key of the variant.
    ///
    /// The source of a local file includes its version, so that a changed file is loaded again.
    func identity(of request: ImageRequest) async throws -> RequestIdentity {
        if let text = request.refusedText {
            throw LoadError(stage: .load, underlying: FetchError.notAURL(text))
        }
        if let identity = identityAtOnce(of: request) { return identity }
        return RequestIdentity(
            source: try await sourceIdentity(ofFile: request),
            variant: request.variantIdentity
        )
    }

    /// Returns the identity without waiting; `nil` for a local file, which has to be examined.
    func identityAtOnce(of request: ImageRequest) -> RequestIdentity? {
        if let plain = request.plainIdentity.value, configuration.sourceIdentity == nil,
            !configuration.loader.hasCacheIdentity || loaderIdentity(of: request).isEmpty
        {
            return plain
        }
        guard !request.isLocalFile, request.refusedText == nil else { return nil }
        return RequestIdentity(
            source: sourceIdentity(of: request, loaderIdentity(of: request)),
            variant: request.variantIdentity
        )
    }

    private func sourceIdentity(ofFile request: ImageRequest) async throws -> String {
        let identity = sourceIdentity(of: request, loaderIdentity(of: request))
        let version: FileVersion?
        do {
            version = try await fileReads.version(of: request.url)
        } catch let error as FetchError {
            throw LoadError(stage: .load, underlying: error)
        }
        // A missing file has no version; the loader reports the error.
        return version.map { "\(identity)#\($0.text)" } ?? identity
    }

    private func sourceIdentity(of request: ImageRequest, _ loaderIdentity: String) -> String {
        request.sourceIdentity(
            neutralNames: configuration.neutralHeaderNames,
            loaderIdentity: loaderIdentity,
            filteredBy: configuration.sourceIdentity ?? { $0.absoluteString }
        )
    }

    private func loaderIdentity(of request: ImageRequest) -> String {
        let fetch = FetchRequest(url: request.url, headers: request.headers, priority: Self.anyPriority)
        return loader(for: request).cacheIdentity(for: fetch)
    }

    /// Returns the loader for a request.
    func loader(for request: ImageRequest) -> any DataLoader {
        request.optionsBox?.options.loader?.value ?? configuration.loader
    }

    /// Returns the codecs for a request.
    func codecs(for request: ImageRequest) -> CodecRegistry {
        request.optionsBox?.options.codecs?.value ?? codecPool.codecs
    }

    /// Returns the serializer for a request.
    func serializer(for request: ImageRequest) -> (any CacheSerializer)? {
        request.optionsBox?.options.serializer?.value ?? configuration.serializer
    }

    /// A placeholder for key lookups; allocating one for each hit would take longer than the hit.
    static let anyPriority = LivePriority()
}
