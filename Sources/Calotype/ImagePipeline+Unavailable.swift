/// What is looked for at a pipeline and has another name here: the compiler says which.
extension ImagePipeline {
    /// Has another name.
    @available(*, unavailable, message: "the text may not be a valid URL; use 'try ImageRequest(text)'")
    @_disfavoredOverload
    public func image(for text: String) async throws -> Image { preconditionFailure("unavailable") }

    /// Has another name.
    @available(*, unavailable, renamed: "remove(_:)")
    public func removeImage(for request: ImageRequest) async throws { preconditionFailure("unavailable") }
}
