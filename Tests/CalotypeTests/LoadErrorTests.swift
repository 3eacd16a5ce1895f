import Calotype
import CalotypeTesting
import Foundation
import PipelineSupport
import Testing

@Suite struct LoadErrorTests {
    private struct Own: Error {}

    private static let faults: [(any Error, Fault?)] = [
        (FetchError(.invalidURL, detail: ""), .caller), (FetchError(.timedOut, detail: ""), .origin),
        (FetchError(.bodyTooLarge, detail: ""), .limit),
        (FetchError(.fileNotReadable, detail: ""), .environment),
        (DecodeError(.corrupt, detail: ""), .input), (DecodeError(.limitExceeded, detail: ""), .limit),
        (DecodeError(.outOfMemory, detail: ""), .environment),
        (EncodeError(.limitExceeded, format: .png, detail: ""), .limit),
        (TransformError(.invalidParameter, detail: ""), .caller),
        (DiskCacheError(code: .diskFull, detail: ""), .environment), (NotInCacheError(), .caller),
        (Own(), nil),
    ]

    @Test(arguments: faults.indices)
    func `an error tells whose fault it is`(index: Int) {
        let (error, fault) = Self.faults[index]
        #expect(LoadError(stage: .load, underlying: error).fault == fault)
    }

    @Test func `the error of a part of one's own has no code`() {
        #expect(LoadError(stage: .load, underlying: Own()).codeLabel == "other")
    }

    @Test func `an error tells the stage, the URL without secrets, and the origin's status`() async throws {
        let bench = PipelineBench { request, _ in
            let detail = "the server answered 503"
            throw FetchError(.unacceptableStatus, status: 503, isRetryable: true, detail: detail)
        }
        let url = try #require(URL(string: "https://me:geheim@example.org/a.png?token=geheim"))
        let error = try #require(
            await #expect(throws: LoadError.self) { try await bench.pipeline.image(for: url) }
        )
        let text = "unacceptableStatus: the server answered 503 (load of https://example.org/a.png)"
        #expect("\(error)" == text)
        #expect(error.localizedDescription == text)
        #expect((error.code, error.httpStatus, error.isRetryable) == (.unacceptableStatus, 503, true))
    }
}
