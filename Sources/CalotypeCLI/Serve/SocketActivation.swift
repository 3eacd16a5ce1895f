import CalotypeSupport

/// The listening sockets that a supervisor has opened before the service starts (`LISTEN_FDS`).
///
/// They stay open between one process and the next, so that no connection is lost.
struct SocketActivation: Sendable {
    /// The number of the first one.
    private static let firstDescriptor: Int32 = 3

    private(set) var pictures: ListeningSocket?
    private(set) var admin: ListeningSocket?

    static let none = SocketActivation()

    init(pictures: ListeningSocket? = nil, admin: ListeningSocket? = nil) {
        (self.pictures, self.admin) = (pictures, admin)
    }

    /// Takes over the sockets that the environment names; the one called `admin` is the admin listener's.
    ///
    /// - Parameters:
    ///   - environment: The environment; variables for another process are ignored.
    ///   - processID: The number of this process.
    /// - Throws: ``CommandError`` if one of them is not a listening socket, there are too many, or it is
    ///   ambiguous which of two is the admin listener's.
    init(_ environment: [String: String], processID: Int32) throws(CommandError) {
        let isForThis = environment["LISTEN_PID"] == "\(processID)"
        guard isForThis, let text = environment["LISTEN_FDS"] else { return }
        guard let count = Int32(text), (1...2).contains(count) else {
            let shown = SafeText.shortened(text)
            throw Self.failure("\(shown) sockets are not supported; pass one for images, and one for admin")
        }
        let named = environment["LISTEN_FDNAMES"] ?? ""
        let names = named.split(separator: ":", omittingEmptySubsequences: false)
        guard count == 1 || names.prefix(2).count(where: { $0 == "admin" }) == 1 else {
            throw Self.failure(
                "of 2 sockets exactly one must be called admin; give the admin listener's socket "
                    + "FileDescriptorName=admin and the other one another name, or pass one socket"
            )
        }
        for index in 0..<count {
            let descriptor = Self.firstDescriptor + index
            guard InheritedDescriptors.contains(descriptor),
                let socket = ListeningSocket(inherited: descriptor)
            else { throw Self.failure("descriptor \(descriptor) is not a listening socket") }
            let name = Int(index) < names.count ? names[Int(index)] : ""
            if name == "admin" { admin = socket } else { pictures = socket }
        }
    }

    private static func failure(_ detail: String) -> CommandError {
        CommandError(.notServing, detail: "LISTEN_FDS: \(detail)")
    }
}

extension ListeningSocket {
    /// Whether it is reachable only from this machine.
    var isLoopback: Bool { host.map { ListenAddress(host: $0, port: port).isLoopback } ?? true }

    /// The address, as settings write it.
    var text: String {
        host.map { "\(ListenAddress(host: $0, port: port))" } ?? "a Unix domain socket"
    }
}

extension ServeSettings {
    /// Returns the settings with the addresses of the inherited sockets.
    ///
    /// - Throws: ``CommandError`` if such an address needs a key or a token that is not set, or its listener
    ///   is off.
    func listening(on sockets: SocketActivation) throws(CommandError) -> ServeSettings {
        var settings = self
        if let pictures = sockets.pictures {
            guard isSigned || allowsUnsigned || pictures.isLoopback else {
                let remedy = "set key and salt, or allow-unsigned"
                throw CommandError(
                    .notServing,
                    detail: "LISTEN_FDS: \(pictures.text) is reachable from other machines; \(remedy)"
                )
            }
            let host = pictures.host ?? listeners.pictures.host
            settings.listeners.pictures = ListenAddress(host: host, port: pictures.port)
        }
        if let admin = sockets.admin {
            guard listeners.admin != nil else {
                throw CommandError(
                    .notServing,
                    detail: "LISTEN_FDS: there is a socket called admin, and admin is off; do not pass the "
                        + "socket, or set admin to an address"
                )
            }
            guard admin.isLoopback || !listeners.adminToken.isEmpty else {
                throw CommandError(
                    .notServing,
                    detail: "LISTEN_FDS: \(admin.text) is reachable from other machines; set admin-token"
                )
            }
            settings.listeners.admin = ListenAddress(host: admin.host ?? "127.0.0.1", port: admin.port)
        }
        return settings
    }
}
