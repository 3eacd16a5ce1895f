public import FoundationEssentials

/// What is looked for at a cache and has another name here: the compiler says which.
extension ImageCache {
    /// Has another name.
    @available(*, unavailable, renamed: "removeAll()")
    public func clear() async throws { preconditionFailure("unavailable") }

    /// Has another name.
    @available(
        *,
        unavailable,
        message: "ask with CacheQuery(key, wantsData: true), or ImagePipeline.data(for:)"
    )
    public func data(for key: ImageKey) async throws -> Data { preconditionFailure("unavailable") }
}
