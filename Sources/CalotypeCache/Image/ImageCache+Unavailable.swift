public import FoundationEssentials

/// Members under names used elsewhere; the compiler suggests the names used here.
extension ImageCache {
    /// Renamed to `removeAll()`.
    @available(*, unavailable, renamed: "removeAll()")
    public func clear() async throws { preconditionFailure("unavailable") }

    /// Replaced by a query with ``CacheQuery/includesData``.
    @available(
        *,
        unavailable,
        message: "use image(for:query:) with CacheQuery(includesData: true), or ImagePipeline.data(for:)"
    )
    public func data(for key: ImageKey) async throws -> Data { preconditionFailure("unavailable") }
}
