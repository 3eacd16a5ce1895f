package import CalotypeServer

/// The handling of a request's body, decided before it is read.
package enum BodyIntake: Sendable {
    /// The body is read within the limits of the listener, and retained only if they say so.
    case standard
    /// The body is passed on as it arrives; the closure returns the response if that fails.
    case upload(Upload, failure: @Sendable (any Error) -> ListenerResponse)
    /// The body is not read: the response is sent at once, and ends the connection.
    case refused(ListenerResponse)
}
