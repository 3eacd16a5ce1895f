import Logging
import TestSupport
import Testing

@testable import CalotypeHummingbird

@Suite(.gated) struct ConnectionWordTests {
    @Test func `the error for an address in use is described in words`() async throws {
        try await ListenerBench.run(answer: ListenerBench.echo) { port, _ in
            let second = Listener(
                ListenerAddress(host: "127.0.0.1", port: port),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                responder: ListenerBench.echo
            )
            let failure = await #expect(throws: ListenerFailure.self) { try await second.run { _ in } }
            #expect(failure?.description.hasSuffix("another program listens on it") == true)
        }
    }

    @Test func `the error for a missing listener is described in words`() async throws {
        let failure = await #expect(throws: AdminClient.Failure.self) {
            try await AdminClient(host: "127.0.0.1", port: 1).get("/health")
        }
        #expect(failure?.description.hasSuffix("nothing listens there") == true)
        let path = await #expect(throws: AdminClient.Failure.self) {
            try await AdminClient(socketPath: "/nowhere/at/all").get("/health")
        }
        #expect(path?.description == "No such file or directory")
    }
}
