package import Calotype
import CalotypeTesting
import FoundationEssentials

/// A loader that responds as the URL's ``StressPage`` says, faults included, without a network.
package final class StressLoader: DataLoader {
    /// Retained while a response is running.
    private final class OpenAnswer: Sendable {
        private let count: SharedState<Int>

        init(_ count: SharedState<Int>) {
            self.count = count
            count.withLock { $0 += 1 }
        }

        deinit {
            count.withLock { $0 -= 1 }
        }
    }

    private let openAnswers = SharedState(0)
    private let isClosed = SharedState(false)

    package init() {}

    package var openCount: Int { openAnswers.value }

    package func response(for request: FetchRequest) async throws -> FetchResponse {
        let answer = OpenAnswer(openAnswers)
        await Task.yield()
        try Task.checkCancellation()
        if isClosed.value { throw FetchError(.closed, detail: "the loader has been shut down") }
        guard let page = StressPage(path: request.url.path()) else {
            throw FetchError(.invalidURL, detail: "\(request.url) is no page")
        }
        switch page.kind {
        case .missing: throw FetchError(.unacceptableStatus, status: 404, detail: "the page says so")
        case .broken: throw FetchError(.unacceptableStatus, status: 500, detail: "the page says so")
        case .garbage: return response(to: request, [Data("<html>no picture</html>".utf8)], answer)
        case .empty: return response(to: request, [], answer)
        case .whole, .chunked, .redirect, .reset, .stall: return picture(page, request, answer)
        }
    }

    package func shutdown() async {
        isClosed.withLock { $0 = true }
    }

    private func picture(
        _ page: StressPage,
        _ request: FetchRequest,
        _ answer: OpenAnswer
    ) -> FetchResponse {
        func value(of name: String) -> String? { request.headers.first { $0.name == name }?.value }
        let credentials = value(of: "Authorization")
        let tag = page.entityTag(credentials)
        if value(of: "If-None-Match") == tag {
            return response(to: request, status: 304, tag: tag, [], answer)
        }
        let body = page.body(credentials)
        let (head, tail) = (body.prefix(9_000), body.dropFirst(9_000))
        switch page.kind {
        case .reset: return response(to: request, tag: tag, [head], end: .lost, answer)
        case .stall: return response(to: request, tag: tag, [head], end: .stalled, answer)
        default: return response(to: request, tag: tag, [head, tail], answer)
        }
    }

    private enum End {
        case inOrder, lost, stalled
    }

    private func response(
        to request: FetchRequest,
        status: Int = 200,
        tag: String? = nil,
        _ chunks: [Data],
        end: End = .inOrder,
        _ answer: OpenAnswer
    ) -> FetchResponse {
        let body = FetchBody {
            var rest = chunks[...]
            return FetchBody.Iterator {
                await Task.yield()
                try Task.checkCancellation()
                if let chunk = rest.popFirst() { return chunk }
                switch end {
                case .inOrder: break
                case .lost: throw FetchError(.connectionLost, isRetryable: true, detail: "the page says so")
                case .stalled: try await untilCancelled()
                }
                // The response runs until here.
                return withExtendedLifetime(answer) { nil }
            }
        }
        let headers = tag.map { [HeaderField("ETag", $0), HeaderField("Cache-Control", "max-age=0")] } ?? []
        return FetchResponse(origin: .network, url: request.url, status: status, headers: headers, body: body)
    }

}

/// Waits until the task is cancelled.
///
/// - Throws: `CancellationError`.
package func untilCancelled() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    for await _ in stream {}
    continuation.finish()
    throw CancellationError()
}
