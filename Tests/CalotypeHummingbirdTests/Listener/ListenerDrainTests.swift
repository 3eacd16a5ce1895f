import CalotypeTesting
import HTTPTypes
import Logging
import TestSupport
import Testing

@testable import CalotypeHummingbird

private struct ErrorLines: LogHandler {
    let lines: SharedState<[String]>
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .error

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { lines.withLock { $0.append("\(event.message)") } }
}

/// The end of a stop that takes too long.
@Suite(.waiting) struct ListenerDrainTests {
    @Test func `cutting off a stop is not logged as an error`() async throws {
        let lines = SharedState<[String]>([])
        let (asked, reached) = AsyncStream<Void>.makeStream()
        let listener = Listener(
            ListenerAddress(host: "127.0.0.1", port: 0),
            logger: Logger(label: "test") { _ in ErrorLines(lines: lines) },
            responder: { _ in
                reached.yield()
                try await ContinuousClock().sleep(for: .seconds(600))
                return .line(.ok, "late")
            }
        )
        let (ports, sink) = AsyncStream<Int>.makeStream()
        let running = Task { try await listener.run { sink.yield($0) } }
        var iterator = ports.makeAsyncIterator()
        let port = try #require(await iterator.next())
        let client = Task {
            try await RawClient.connect(port).exchange(["GET / HTTP/1.1\r\nHost: a.test\r\n\r\n"])
        }
        for await _ in asked { break }
        let idle = try await RawClient.connect(port)
        while listener.connectionCount < 2 { await Task.yield() }
        // As the service does: a stop, and a cancellation once its time is up.
        let stopping = Task.immediate { await listener.stop() }
        // Ends its connection, once the listener waits for the other one.
        _ = try await idle.exchange([])
        running.cancel()
        _ = await running.result
        await stopping.value
        _ = await client.result
        #expect(lines.value == [])
    }
}
