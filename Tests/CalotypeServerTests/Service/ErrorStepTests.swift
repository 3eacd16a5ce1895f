import Calotype
import CalotypeLoading
import CalotypeServer
import CalotypeTesting
import FoundationEssentials
import LoopbackOrigin
import TestSupport
import Testing

/// The step in the record of an error.
@Suite(.blocking) struct ErrorStepTests {
    private struct Records: ServiceObserver {
        let all = SharedState<[ServiceRecord]>([])
        func didRespond(_ record: ServiceRecord) { all.withLock { $0.append(record) } }
    }

    private func record(
        of path: String,
        timeout: Duration = .seconds(60),
        origin response: OriginResponse
    ) async throws -> ServiceRecord {
        let records = Records()
        try await WebBench.with({ configuration, _ in
            configuration.timeout = timeout
            configuration.observer = records
        }) { _ in
            response
        } _: { bench in
            var request = ServiceRequest(
                target: path.replacing("ORIGIN", with: bench.origin.url("").absoluteString)
            )
            request.client = "192.0.2.7"
            _ = try await bench.service.response(to: request)
        }
        let all = records.all.value
        #expect(all.count == 1)
        return try #require(all.first)
    }

    @Test func `a timeout error names the running step`() async throws {
        let hangs = OriginResponse(framing: .announced(9), steps: [.wait(OriginGate())])
        let path = "/unsafe/w:9/plain/ORIGIN/a"
        let record = try await record(of: path, timeout: .milliseconds(300), origin: hangs)
        #expect(record.errorCode == "timedOut" && record.client == "192.0.2.7", "\(record)")
        // On a busy machine the timeout may elapse before the origin is contacted.
        let step = try #require(record.errorStep)
        #expect(["cache", "queue", "fetch"].contains(step))
        #expect(record.errorDetail?.contains(", during \(step); ") == true)
    }

    private final class Fetching: WorkProgress {
        func end() {}

        var currentStep: String? { "fetch" }
    }

    @Test func `a waiter's error names the step of the shared work`() async throws {
        let work = SharedWork<Int, Int, Fetching>()
        let (endless, _) = AsyncStream<Void>.makeStream()
        let error = await #expect(throws: LoadError.self) {
            try await work.value(for: 1, atMost: .milliseconds(1)) { _ in
                for await _ in endless {}
                return .value(1)
            }
        }
        #expect(error?.awaitedStep == "fetch" && error?.code == .timedOut)
    }

    @Test func `errors of a URL, an origin and an image name their steps`() async throws {
        let missing = OriginResponse.status(404, text: "")
        #expect(try await record(of: "/unsafe/foo:1/plain/ORIGIN/a", origin: missing).errorStep == "url")
        #expect(try await record(of: "/unsafe/w:9/plain/ORIGIN/a", origin: missing).errorStep == "fetch")
        let page = OriginResponse.body(.init("<html>".utf8), type: "text/html")
        #expect(try await record(of: "/unsafe/w:9/plain/ORIGIN/a", origin: page).errorStep == "decode")
        let picture = OriginResponse.body(try WebBench.picture(), type: "image/jpeg")
        #expect(try await record(of: "/unsafe/w:9/plain/ORIGIN/a", origin: picture).errorStep == nil)
    }
}
