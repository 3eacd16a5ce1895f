import CalotypeSupport

/// The file descriptors that were open when the program started.
///
/// A number that the caller has not opened may later be one of the program's own.
enum InheritedDescriptors {
    /// Descriptors beyond the standard ones, below 1,024.
    private static let open = Set((STDERR_FILENO + 1..<1_024).filter(isOpen))

    /// Records the open descriptors, and opens `/dev/null` for closed standard descriptors; called before the
    /// program opens anything.
    static func prepare() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where !isOpen(descriptor) {
            // The lowest free number is this one; if opening fails, a later use reports an error.
            _ = Glibc.open("/dev/null", O_RDWR)
        }
        _ = open
    }

    /// Whether the caller opened a descriptor.
    static func contains(_ descriptor: Int32) -> Bool {
        descriptor <= STDERR_FILENO || open.contains(descriptor)
    }

    private static func isOpen(_ descriptor: Int32) -> Bool { fcntl(descriptor, F_GETFD) != -1 }
}
