/// A file descriptor that is closed when nobody holds it any more.
package final class Descriptor: Sendable {
    package let number: Int32

    /// Takes over what a system call returned; `nil` for a failure.
    package init?(_ number: Int32) {
        guard number >= 0 else { return nil }
        self.number = number
    }

    deinit {
        close(number)
    }
}
