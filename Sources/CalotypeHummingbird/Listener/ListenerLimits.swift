/// What a listener takes from its clients.
public struct ListenerLimits: Hashable, Sendable {
    /// Connections at once; 1,024 unless set.
    ///
    /// The last place is kept for new clients: the connection that has waited longest for a request is
    /// closed, and while all have one, answers end their connections. Further clients wait in the system's
    /// queue.
    public var connectionCountMax = 1_024

    /// How long a new connection has for the head of its first request, and a request for its body; 10 s
    /// unless set.
    public var headTimeout: Duration = .seconds(10)

    /// How long a connection may wait for its next request; 60 s unless set.
    public var idleTimeout: Duration = .seconds(60)

    /// How long a client has to take an answer, beside ``bytesPerSecondMin``; 30 s unless set.
    public var writeTimeout: Duration = .seconds(30)

    /// A larger answer has one second more for each so many bytes; 65,536 unless set.
    public var bytesPerSecondMin = 65_536

    /// Bytes of what a request line asks for; above it the answer is 414; 8,192 unless set.
    public var targetByteCountMax = 8_192

    /// Bytes of the fields of a request; above it the answer is 431; 32,768 unless set.
    public var fieldByteCountMax = 32_768

    /// Bytes of a request's body; above it the answer is 413; 65,536 unless set.
    public var bodyByteCountMax = 65_536

    /// Whether a request's body is kept for the responder, or only read to its end; true unless set.
    public var keepsBodies = true

    /// Creates limits; each default is stated at its property.
    public init() {}

    /// What the parser reads before it gives up: room for a URL that is told to be too long.
    static let lineByteCountMax = 40 << 10
    /// How long an answer under way goes on once the client has closed its side, which may have been all that
    /// it wanted to send.
    static let halfCloseGrace: Duration = .milliseconds(500)
    /// How long a connection that is to end is read, so that its last answer arrives.
    static let lingerTimeout: Duration = .seconds(2)
}
