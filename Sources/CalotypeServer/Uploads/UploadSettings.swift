/// The uploads that a service accepts: `POST` of an image to `/{signature}/{options}/plain/-`, which returns
/// the result and stores neither.
public struct UploadSettings: Hashable, Sendable {
    /// The bearer token that replaces the signature of the path; `nil`, the default, for signatures only.
    public var token: SigningKey?

    /// The time limit for receiving a body; 30 s unless set.
    public var timeout: Duration = .seconds(30)

    /// Creates the settings; each default is stated at its property.
    public init(token: SigningKey? = nil) {
        self.token = token
    }

    /// Whether a value of `Authorization` has the token.
    ///
    /// - Throws: ``RequestError`` with `invalidToken` for another value, if there is a token.
    func isAuthorized(_ authorization: String?, needsToken: Bool) throws(RequestError) -> Bool {
        guard let token else { return false }
        guard let authorization else {
            guard needsToken else { return false }
            throw RequestError(.invalidToken, detail: "Authorization is missing; send Bearer and the token")
        }
        let words = authorization.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer", token.isEqual(to: words[1]) else {
            throw RequestError(.invalidToken, detail: "Authorization does not have the upload token")
        }
        return true
    }
}
