import Calotype

extension ImageRequest {
    /// The request for what a person types: a URL, or the path of a file; may block (``InputAddress``).
    ///
    /// - Throws: ``CommandError`` where it is neither.
    init(typed text: String) throws(CommandError) {
        try self.init(for: BatchSource(text))
    }

    /// The request for a source.
    ///
    /// - Throws: ``CommandError`` where its address is neither a URL nor a path.
    init(for source: BatchSource) throws(CommandError) {
        if !source.isURL, !source.address.isEmpty, let url = PathBytes.fileURL(source.address) {
            self.init(url: url)
            return
        }
        // The loader would name the scheme, which may be the user of `user:password@host`.
        guard !source.isURL || InputAddress.namesScheme(source.address) else {
            throw CommandError(
                .invalidURL,
                detail:
                    "there is no file of this name, and URLs begin with http://, https://, file:/ or data:"
            )
        }
        guard !source.address.isEmpty, let request = ImageRequest(addressOrPath: source.address) else {
            throw CommandError(
                .invalidURL,
                detail: "neither a URL nor a path; percent-encode special characters"
            )
        }
        self = request
    }
}
