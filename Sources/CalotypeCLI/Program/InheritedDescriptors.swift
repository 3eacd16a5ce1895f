import CalotypeSupport

/// The file descriptors that the program was started with.
///
/// A number that the caller has not opened would be one of the program's own a moment later.
enum InheritedDescriptors {
    /// Those beyond the standard ones that were open at the start, below 1,024.
    private static let open = Set((STDERR_FILENO + 1..<1_024).filter(isOpen))

    /// Notes what is open, and opens `/dev/null` for standard descriptors that are closed; before the program
    /// opens anything.
    static func prepare() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where !isOpen(descriptor) {
            // The lowest free number is this one; where it cannot be had, its use is an error later.
            _ = Glibc.open("/dev/null", O_RDWR)
        }
        _ = open
    }

    /// Whether a descriptor is the caller's to name.
    static func contains(_ descriptor: Int32) -> Bool {
        descriptor <= STDERR_FILENO || open.contains(descriptor)
    }

    private static func isOpen(_ descriptor: Int32) -> Bool { fcntl(descriptor, F_GETFD) != -1 }
}
