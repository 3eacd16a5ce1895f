public import CalotypeLoading
public import FoundationEssentials

/// What of a client's `GET` or `HEAD` decides its answer.
public struct ServiceRequest: Hashable, Sendable {
    /// What the request line asks for, as it came: percent-encoded, with its leading `/`.
    public var target: String
    /// `Accept`.
    public var accept: String?
    /// `If-None-Match`, several with commas between them.
    public var ifNoneMatch: String?

    /// `If-Modified-Since`; counts for nothing where there is ``ifNoneMatch``.
    public var ifModifiedSince: String?
    /// The method as it came, for the log; `GET` unless set.
    public var method = "GET"
    /// What tells the request from others in a log; nothing unless set.
    public var requestID: String?
    /// The address that it came from, for the log; `nil` where it is not known.
    public var client: String?

    /// Creates a request.
    public init(target: String, accept: String? = nil, ifNoneMatch: String? = nil) {
        (self.target, self.accept, self.ifNoneMatch) = (target, accept, ifNoneMatch)
    }
}

/// The answer to a ``ServiceRequest``.
public struct ServiceAnswer: Hashable, Sendable {
    /// The status of HTTP.
    public var status: Int
    /// The fields of its head, without `Content-Length`.
    public var fields: [HeaderField]
    /// The body, which a `HEAD` leaves out; empty for 304.
    public var body: Data

    /// Creates an answer.
    public init(status: Int, fields: [HeaderField] = [], body: Data = Data()) {
        (self.status, self.fields, self.body) = (status, fields, body)
    }

    /// The value of the first field of a name, without regard to case.
    public subscript(name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
