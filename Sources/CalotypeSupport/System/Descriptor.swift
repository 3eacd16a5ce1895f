/// A file descriptor that is closed with its last reference.
package final class Descriptor: Sendable {
    package let number: Int32

    /// Takes ownership of the result of a system call; `nil` for a failure.
    package init?(_ number: Int32) {
        guard number >= 0 else { return nil }
        self.number = number
    }

    deinit {
        close(number)
    }
}
