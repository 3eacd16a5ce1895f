import CalotypeSupport
import Glibc
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct SocketActivationTests {
    private func sockets(_ count: String, processID: String = "7") throws(CommandError) -> SocketActivation {
        try SocketActivation(["LISTEN_FDS": count, "LISTEN_PID": processID], processID: 7)
    }

    @Test func `variables of another process are ignored`() throws {
        let others = try sockets("1", processID: "8")
        #expect(others.pictures == nil && others.admin == nil)
        #expect(try SocketActivation(["LISTEN_FDS": "1"], processID: 7).pictures == nil)
        #expect(try SocketActivation([:], processID: 7).pictures == nil)
    }

    @Test(arguments: ["0", "3", "-1", "x", "", "99999999999"])
    func `an unexpected number of sockets is rejected`(count: String) {
        let error = #expect(throws: CommandError.self) { try sockets(count) }
        #expect(error?.detail.contains(" sockets are not supported") == true)
    }

    @Test(arguments: [
        nil, "", "a:a", "admin:admin", "pictures:console", "calotype.socket:calotype.socket", "a:b:admin",
    ])
    func `if two sockets are passed, one must be named admin`(names: String?) {
        var environment = ["LISTEN_FDS": "2", "LISTEN_PID": "7"]
        environment["LISTEN_FDNAMES"] = names
        let error = #expect(throws: CommandError.self) {
            try SocketActivation(environment, processID: 7)
        }
        #expect(error?.detail.hasPrefix("LISTEN_FDS: of 2 sockets") == true)
    }

    @Test func `the addresses of sockets require a key as settings do`() throws {
        let settings = try SettingsSource([], [:]).settings
        #expect(try settings.listening(on: .none).listeners.pictures == settings.listeners.pictures)
    }

    /// Runs a body with a socket that listens on a free port.
    private func withSocket(anyAddress: Bool = false, _ body: (ListeningSocket) throws -> Void) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(anyAddress ? 0 : 0x7F00_0001).bigEndian
        let isListening = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                    && listen(descriptor, 1) == 0
            }
        }
        #expect(isListening)
        try body(try #require(ListeningSocket(inherited: descriptor)))
    }

    @Test func `a socket for the admin listener is rejected while admin is off`() throws {
        try withSocket { socket in
            let settings = try SettingsSource(["--admin=off"], [:]).settings
            let error = #expect(throws: CommandError.self) {
                try settings.listening(on: SocketActivation(admin: socket))
            }
            #expect(error?.detail.contains("a socket called admin, and admin is off") == true)
            let served = try settings.listening(on: SocketActivation(pictures: socket))
            #expect(served.listeners.admin == nil && served.listeners.pictures.port == socket.port)
        }
    }

    @Test func `a publicly reachable socket for the admin listener needs a token`() throws {
        try withSocket(anyAddress: true) { socket in
            let sockets = SocketActivation(admin: socket)
            let open = try SettingsSource([], [:]).settings
            let error = #expect(throws: CommandError.self) { try open.listening(on: sockets) }
            #expect(error?.detail.hasSuffix("set admin-token") == true)
            let token = String(repeating: "t", count: 32)
            let guarded = try SettingsSource(["--admin-token=\(token)"], [:]).settings
            #expect(try guarded.listening(on: sockets).listeners.admin?.port == socket.port)
        }
    }
}
