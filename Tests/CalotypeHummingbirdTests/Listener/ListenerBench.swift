import CalotypeTesting
import HTTPTypes
import Logging
import NIOCore
import Testing

@testable import CalotypeHummingbird

/// A listener on a free port of the loopback interface.
struct ListenerBench: Sendable {
    /// Runs a body beside a listener, and stops the listener afterwards.
    static func run<Result: Sendable>(
        _ limits: ListenerLimits = ListenerLimits(),
        answersOnEventLoop: Bool = false,
        refusalFields: @escaping Listener.RefusalFields = { _ in [:] },
        intake: @escaping Listener.BodyRule = { _ in .standard },
        answer: @escaping Listener.Responder,
        _ body: @escaping @Sendable (Int, Listener) async throws -> Result
    ) async throws -> Result {
        let listener = Listener(
            ListenerAddress(host: "127.0.0.1", port: 0),
            limits: limits,
            answersOnEventLoop: answersOnEventLoop,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            refusalFields: refusalFields,
            intake: intake,
            responder: answer
        )
        let (ports, sink) = AsyncStream<Int>.makeStream()
        let running = Task {
            try await listener.run { sink.yield($0) }
        }
        var iterator = ports.makeAsyncIterator()
        let port = try #require(await iterator.next())
        let outcome: Swift.Result<Result, any Error>
        do {
            outcome = .success(try await body(port, listener))
        } catch {
            outcome = .failure(error)
        }
        await listener.stop()
        try await running.value
        return try outcome.get()
    }

    /// Responds with the method, target, body length and identifier of the request.
    static let echo: Listener.Responder = { request in
        .line(
            .ok,
            "\(request.head.method.rawValue) \(request.target) \(request.body.readableBytes) \(request.id)"
        )
    }
}
