public import CalotypeLoading
public import FoundationEssentials

/// The parts of a client's `GET` or `HEAD` that determine the response.
public struct ServiceRequest: Hashable, Sendable {
    /// The request target as received: percent-encoded, with its leading `/`.
    public var target: String
    /// `Accept`.
    public var accept: String?
    /// `If-None-Match`, several values separated by commas.
    public var ifNoneMatch: String?

    /// `If-Modified-Since`; ignored if there is ``ifNoneMatch``.
    public var ifModifiedSince: String?
    /// The client hints; used only if the service is configured to.
    ///
    /// None unless set.
    public var hints = ClientHints.none
    /// The method as received, for the log; `GET` unless set.
    public var method = "GET"
    /// The request ID for the log; none unless set.
    public var requestID: String?
    /// The address of the client, for the log; `nil` if unknown.
    public var client: String?

    /// Creates a request.
    public init(target: String, accept: String? = nil, ifNoneMatch: String? = nil) {
        (self.target, self.accept, self.ifNoneMatch) = (target, accept, ifNoneMatch)
    }
}

/// The response to a ``ServiceRequest``.
public struct ServiceResponse: Hashable, Sendable {
    /// The HTTP status.
    public var status: Int
    /// The header fields, without `Content-Length`.
    public var fields: [HeaderField]
    /// The body, which is not sent for `HEAD`; empty for 304.
    public var body: Data

    /// Creates a response.
    public init(status: Int, fields: [HeaderField] = [], body: Data = Data()) {
        (self.status, self.fields, self.body) = (status, fields, body)
    }

    /// Returns the value of the first field with a name, ignoring case.
    public subscript(name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
