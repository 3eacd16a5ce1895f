import TestSupport
import Testing

@testable import CalotypeCLI

/// Inherited sockets and the variables that name them.
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
}
