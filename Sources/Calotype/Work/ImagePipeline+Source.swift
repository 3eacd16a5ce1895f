internal import CalotypeLoading
internal import CalotypeSupport
internal import FoundationEssentials
internal import Glibc

extension ImagePipeline {
    /// Where the bytes of a request come from, as text.
    ///
    /// For a local file its size and the time of its last change are part of it, so that a changed file is
    /// loaded anew.
    func sourceIdentity(of request: ImageRequest) async throws -> String {
        let identity = sourceIdentityWithoutVersion(of: request)
        guard request.isLocalFile else { return identity }
        let path = request.url.path(percentEncoded: false)
        let version = await filePool.run { () throws(Never) in FileVersion(ofFileAt: path) }
        // A file that is not there has no version; the loader says what is wrong with it.
        guard let version else { return identity }
        return "\(identity)#size=\(version.byteCount),modified=\(version.modifiedAt)"
    }
}

extension ImagePipeline {
    /// The same without looking at a file.
    func sourceIdentityWithoutVersion(of request: ImageRequest) -> String {
        let fetch = FetchRequest(url: request.url, headers: request.headers)
        return request.sourceIdentity(
            neutralNames: configuration.neutralHeaderNames,
            loaderIdentity: configuration.loader.cacheIdentity(for: fetch),
            filteredBy: configuration.sourceIdentity
        )
    }
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
