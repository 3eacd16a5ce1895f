extension ImageService {
    /// The grammars of URLs.
    public enum Grammar: String, Hashable, Sendable, CaseIterable {
        /// imgproxy's.
        case imgproxy
        /// thumbor's.
        case thumbor
    }

    /// What a client asks for to get a path: the path with the signature of the first key, or `unsafe` where
    /// there is none, below the place of its grammar.
    ///
    /// - Parameters:
    ///   - path: Options and source as the grammar writes them, with a leading `/`, percent-encoded.
    ///   - grammar: Which grammar.
    /// - Returns: The target, with its leading `/`.
    /// - Throws: ``RequestError`` where it is no path, or the grammar is not mounted.
    public func signed(_ path: String, in grammar: Grammar) throws(RequestError) -> String {
        switch grammar {
        case .imgproxy:
            if let imgproxy = configuration.imgproxy { return try imgproxy.signed(path) }
        case .thumbor:
            if let thumbor = configuration.thumbor { return Self.thumborPrefix + thumbor.signed(path) }
        }
        throw RequestError(.malformedPath, detail: "the grammar of \(grammar.rawValue) is not mounted")
    }
}
