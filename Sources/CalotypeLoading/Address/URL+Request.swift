import FoundationEssentials

extension URL {
    /// The URL for sending a request: without user, password and fragment.
    ///
    /// `nil` if it cannot be parsed.
    var requestURL: URL? {
        // Hardly any URL has these parts, and parsing takes longer than this test.
        guard absoluteString.utf8.contains(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "#") }),
            user != nil || password != nil || fragment != nil
        else { return self }
        var components = URLComponents(url: self, resolvingAgainstBaseURL: true)
        components?.percentEncodedUser = nil
        components?.percentEncodedPassword = nil
        components?.percentEncodedFragment = nil
        return components?.url
    }

    /// The text of the URL for sending a request.
    package var requestText: String { (requestURL ?? self).absoluteString }
}
