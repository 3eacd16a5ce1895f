import Calotype

extension ImageRequest {
    /// Creates a request for a typed URL or file path; may block (``InputAddress``).
    ///
    /// - Throws: ``CommandError`` if it is neither.
    init(typed text: String) throws(CommandError) {
        try self.init(for: BatchSource(text))
    }

    /// Creates a request for a source.
    ///
    /// - Throws: ``CommandError`` if its address is neither a URL nor a path.
    init(for source: BatchSource) throws(CommandError) {
        if !source.isURL, !source.address.isEmpty, let url = PathBytes.fileURL(source.address) {
            self.init(url: url)
            return
        }
        // The loader's error would name the scheme, which may be the user of `user:password@host`.
        guard !source.isURL || InputAddress.namesScheme(source.address) else {
            throw CommandError(
                .invalidURL,
                detail:
                    "no file has this name, and URLs begin with http://, https://, file:/ or data:"
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
