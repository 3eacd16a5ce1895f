/// The limits of a listener on its clients.
package struct ListenerLimits: Hashable, Sendable {
    /// The maximum number of connections; 1,024 unless set.
    ///
    /// At the limit, the longest waiting connection without a request is closed for a new one. While all have
    /// a request, each response ends its connection. Further clients wait in the system's queue.
    package var maxConnectionCount = 1_024

    /// The time limit for the header of the first request, and for a request's body; 10 s unless set.
    package var headerTimeout: Duration = .seconds(10)

    /// The time limit of an idle connection for its next request; 60 s unless set.
    package var idleTimeout: Duration = .seconds(60)

    /// The time limit for sending a response, in addition to ``minBytesPerSecond``; 30 s unless set.
    package var writeTimeout: Duration = .seconds(30)

    /// A response gets one more second for each so many bytes; 65,536 unless set.
    package var minBytesPerSecond = 65_536

    /// The maximum bytes of a request target, answered with 414 above it; 8,192 unless set.
    package var maxTargetByteCount = 8_192

    /// The maximum bytes of request fields, answered with 431 above it; 32,768 unless set.
    package var maxFieldByteCount = 32_768

    /// The maximum bytes of a request body, answered with 413 above it; 65,536 unless set.
    package var maxBodyByteCount = 65_536

    /// Whether a request body is passed to the responder, or read and discarded; true unless set.
    package var collectsBodies = true

    /// The time limit for the body of a `POST`; ``headerTimeout`` if `nil`, the default.
    package var uploadTimeout: Duration?

    /// Creates limits; each default is stated at its property.
    package init() {}

    /// The parser's limit: large enough for a URL that is then answered with 414.
    static let maxLineByteCount = 40 << 10
    /// The time that a response continues after the client has closed its side, which may be all that it had
    /// to send.
    static let halfCloseGrace: Duration = .milliseconds(500)
    /// The time that a closing connection is still read, so that its last response arrives.
    static let lingerTimeout: Duration = .seconds(2)
}
