internal import CalotypeCache
internal import CalotypeCore
internal import CalotypeLoading

extension KnownSources {
    /// Returns the freshness of a result for clients; `nil` if it was made from older content of its source,
    /// which newer freshness does not describe.
    ///
    /// - Parameters:
    ///   - contentHash: The hash of the content that the result was made from, if it is known.
    ///   - source: The source of the original.
    ///   - request: The request that the result is for.
    /// - Returns: The freshness.
    func freshnessForClients(
        of contentHash: UInt64?,
        _ source: String,
        for request: ImageRequest
    ) -> EncodedImage.ClientFreshness? {
        // Read once, because it may be replaced at any time.
        let known = request.heedsContent ? validations[ImageKey(source)] : nil
        if let known, let contentHash, known.contentHash != contentHash { return nil }
        guard request.httpCaching == .respectsHTTP, request.isRemote else { return .unknown }
        guard let record = known?.record else { return .notStorable }
        var relayed = RelayedFreshness(record, at: configuration.timeSource.now())
        if settings.usesCredentials(request) { relayed.isPrivate = true }
        return .relayed(relayed)
    }
}
