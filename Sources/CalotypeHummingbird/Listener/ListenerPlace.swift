/// The address of a listener.
public struct ListenerPlace: Hashable, Sendable {
    /// A local address or host name.
    public var host: String
    /// The port; 0 for a free one.
    public var port: Int
    /// Whether other processes of the user may listen on the same port (`SO_REUSEPORT`); false unless set.
    public var sharesPort = false
    /// A listening socket in place of host and port, such as one from systemd; none unless set.
    ///
    /// The listener closes it when it stops.
    public var descriptor: Int32?

    /// Creates an address.
    public init(host: String, port: Int) {
        (self.host, self.port) = (host, port)
    }
}
