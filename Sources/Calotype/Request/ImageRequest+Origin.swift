internal import CalotypeLoading
internal import FoundationEssentials

extension ImageRequest {
    /// The same request where the store's original is of no use.
    var withoutStoredOriginal: ImageRequest {
        var fresh = self
        fresh.cachePolicy.original = cachePolicy.original.writes ? .writeOnly : .none
        return fresh
    }

    /// Whether the origin is asked also where a cache has the image.
    var alwaysValidates: Bool { cachePolicy.alwaysValidates && cachePolicy.allowsLoading && isRemote }

    /// Whether the content of the original has to be known.
    var heedsContent: Bool { httpCaching == .respectsHTTP || alwaysValidates }

    /// Whether the bytes come from elsewhere, so that a copy in a store saves something.
    var isRemote: Bool { isPlain || !isLocalFile && url.scheme?.lowercased() != "data" }

    /// Whether the bytes are in a file of this machine.
    var isLocalFile: Bool { !isPlain && url.scheme?.lowercased() == "file" }

    /// Whether the URL is known to be one of `http:` or `https:`, without taking it apart.
    private var isPlain: Bool { plainIdentity.value != nil }
}
