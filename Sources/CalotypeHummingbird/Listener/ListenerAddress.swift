package struct ListenerAddress: Hashable, Sendable {
    /// A local address or host name.
    package var host: String
    /// The port; 0 for a free one.
    package var port: Int
    /// Whether other processes of the user may listen on the same port (`SO_REUSEPORT`); false unless set.
    package var sharesPort = false
    /// A listening socket in place of host and port, such as one from systemd; none unless set.
    ///
    /// The listener closes it when it stops.
    package var descriptor: Int32?

    package init(host: String, port: Int) {
        (self.host, self.port) = (host, port)
    }
}
