/// The address that a listener takes connections from.
public struct ListenerPlace: Hashable, Sendable {
    /// An address of this machine, or a name for one.
    public var host: String
    /// The port; one that is free if it is 0.
    public var port: Int
    /// Whether other processes of the user may listen on the port too (`SO_REUSEPORT`); false unless set.
    public var sharesPort = false
    /// A socket that listens already and stands for host and port, as systemd hands it over; none unless set.
    ///
    /// The listener closes it when it ends.
    public var descriptor: Int32?

    /// Creates a place.
    public init(host: String, port: Int) {
        (self.host, self.port) = (host, port)
    }
}
