internal import CalotypeLoading
internal import CalotypeSupport
internal import FoundationEssentials
internal import Glibc

extension ImagePipeline {
    /// Where the bytes of a request come from, and the key of what is made of them.
    ///
    /// For a local file its size and the time of its last change are part of it, so that a changed file is
    /// loaded anew.
    func identity(of request: ImageRequest) async throws -> RequestIdentity {
        if let identity = identityAtOnce(of: request) { return identity }
        return RequestIdentity(
            source: await sourceIdentity(ofFile: request),
            variant: request.variantIdentity
        )
    }

    /// The same without waiting; `nil` for a local file, which has to be examined.
    func identityAtOnce(of request: ImageRequest) -> RequestIdentity? {
        let loaderIdentity = loaderIdentity(of: request)
        if let plain = request.plainIdentity.value, configuration.sourceIdentity == nil,
            loaderIdentity.isEmpty
        {
            return plain
        }
        guard !request.isLocalFile else { return nil }
        return RequestIdentity(
            source: sourceIdentity(of: request, loaderIdentity),
            variant: request.variantIdentity
        )
    }

    private func sourceIdentity(ofFile request: ImageRequest) async -> String {
        let identity = sourceIdentity(of: request, loaderIdentity(of: request))
        let path = request.url.path(percentEncoded: false)
        let version = await filePool.run { () throws(Never) in FileVersion(ofFileAt: path) }
        // A file that is not there has no version; the loader says what is wrong with it.
        guard let version else { return identity }
        return "\(identity)#size=\(version.byteCount),modified=\(version.modifiedAt)"
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
        return configuration.loader.cacheIdentity(for: fetch)
    }

    /// Of requests that are only asked about: to make one for each hit would take longer than the hit.
    private static let anyPriority = LivePriority()
}

/// What tells one version of a local file from another.
private struct FileVersion: Sendable {
    /// Bytes.
    let byteCount: Int

    /// Nanoseconds since 1970.
    let modifiedAt: Int

    /// Examines a file; `nil` where there is none.
    ///
    /// - SeeAlso: `stat`.
    init?(ofFileAt path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        byteCount = Int(status.st_size)
        modifiedAt = status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec
    }
}
