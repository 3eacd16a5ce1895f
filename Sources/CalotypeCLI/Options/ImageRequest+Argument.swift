import Calotype

extension ImageRequest {
    /// The request for what a person types: a URL, or the path of a file.
    ///
    /// - Throws: ``CommandError`` where it is neither.
    init(typed text: String) throws(CommandError) {
        if PathBytes.holdsOtherBytes(text), !BatchSource.isURL(text), let url = PathBytes.fileURL(text) {
            self.init(url: url)
            return
        }
        guard let request = ImageRequest(addressOrPath: text) else {
            throw CommandError(
                .invalidURL,
                detail: "neither a URL nor a path; percent-encode special characters"
            )
        }
        self = request
    }
}
