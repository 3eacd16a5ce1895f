/// Unavailable names, for which the compiler shows the right ones.
extension ImagePipeline {
    /// Unavailable: text may not be a valid URL.
    @available(*, unavailable, message: "the text may not be a valid URL; use 'try ImageRequest(text)'")
    @_disfavoredOverload
    public func image(for text: String) async throws -> Image { preconditionFailure("unavailable") }

    /// Unavailable: renamed to ``remove(_:)``.
    @available(*, unavailable, renamed: "remove(_:)")
    public func removeImage(for request: ImageRequest) async throws { preconditionFailure("unavailable") }
}
