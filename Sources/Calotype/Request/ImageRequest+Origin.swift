internal import CalotypeLoading
internal import FoundationEssentials

extension ImageRequest {
    /// The request without reading the original from the stores.
    var withoutStoredOriginal: ImageRequest {
        var fresh = self
        fresh.cachePolicy.original = cachePolicy.original.writes ? .writeOnly : .none
        return fresh
    }

    /// True if the origin is queried even if a cache has the image.
    var alwaysRevalidates: Bool { cachePolicy.alwaysRevalidates && cachePolicy.allowsLoading && isRemote }

    /// True if the origin may be queried although a cache has the image and it is fresh.
    var mayQueryFresh: Bool {
        alwaysRevalidates || httpCaching == .respectsHTTP && headers.cacheControl != nil
    }

    /// True if the content of the original has to be known.
    var heedsContent: Bool { httpCaching == .respectsHTTP || alwaysRevalidates }

    /// True if the bytes come from elsewhere, so that a stored copy saves a load.
    var isRemote: Bool { isPlain || !isLocalFile && url.scheme?.lowercased() != "data" }

    /// True if the bytes are in a local file.
    var isLocalFile: Bool { !isPlain && url.scheme?.lowercased() == "file" }

    /// True if the URL is known to be `http:` or `https:`, without parsing it.
    private var isPlain: Bool { plainIdentity.value != nil }
}
