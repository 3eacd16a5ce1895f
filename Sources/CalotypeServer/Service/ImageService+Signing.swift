extension ImageService {
    /// The URL grammars.
    public enum Grammar: String, Hashable, Sendable, CaseIterable {
        /// The grammar of imgproxy.
        case imgproxy
        /// The grammar of thumbor.
        case thumbor
        /// The image optimizer of Next.js.
        case nextImage = "next-image"
        /// The image transformations of Cloudflare.
        case cloudflare
    }

    /// Returns the request target for a path: with the signature by the first key, or `unsafe` without a key,
    /// below the prefix of its grammar.
    ///
    /// - Parameters:
    ///   - path: Options and source in the grammar, with a leading `/`, percent-encoded.
    ///   - grammar: The grammar.
    /// - Returns: The target, with its leading `/`.
    /// - Throws: ``RequestError`` if the path is invalid, or the grammar is disabled.
    public func signed(_ path: String, in grammar: Grammar) throws(RequestError) -> String {
        switch grammar {
        case .imgproxy:
            if let imgproxy = configuration.imgproxy { return try imgproxy.signed(path) }
        case .thumbor:
            if let thumbor = configuration.thumbor {
                return TargetReader.thumborPrefix + thumbor.signed(path)
            }
        case .nextImage, .cloudflare:
            throw RequestError(.malformedPath, detail: "\(grammar.rawValue) URLs are not signed")
        }
        throw RequestError(.malformedPath, detail: "the \(grammar.rawValue) grammar is disabled")
    }
}
