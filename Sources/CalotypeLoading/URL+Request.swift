import FoundationEssentials

extension URL {
    /// The URL as a request is sent to it: without user, password and fragment.
    ///
    /// `nil` where it cannot be taken apart.
    var requestURL: URL? {
        // Hardly any URL has either, and to take it apart takes longer than to look.
        guard absoluteString.utf8.contains(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "#") }),
            user != nil || password != nil || fragment != nil
        else { return self }
        var components = URLComponents(url: self, resolvingAgainstBaseURL: true)
        components?.percentEncodedUser = nil
        components?.percentEncodedPassword = nil
        components?.percentEncodedFragment = nil
        return components?.url
    }

    /// The text of the URL that a request is sent to.
    package var requestText: String { (requestURL ?? self).absoluteString }
}
