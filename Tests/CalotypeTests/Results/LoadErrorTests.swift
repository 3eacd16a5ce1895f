import CalotypeTesting
import Foundation
import PipelineSupport
import Testing

@testable import Calotype

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
        (DiskCacheError(.diskFull, detail: ""), .environment), (NotInCacheError(), .caller),
        (Own(), nil),
    ]

    @Test(arguments: faults.indices)
    func `an error reports the responsible party`(index: Int) {
        let (error, fault) = Self.faults[index]
        #expect(LoadError(stage: .load, underlying: error).fault == fault)
    }

    @Test func `errors of a full or busy store are retryable`() {
        func isRetryable(_ error: any Error) -> Bool {
            LoadError(stage: .store, underlying: error).isRetryable
        }
        #expect(isRetryable(DiskCacheError(.diskFull, detail: "")))
        #expect(isRetryable(DiskCacheError(.tooManyOpenFiles, detail: "")))
        #expect(isRetryable(StoreBusyError()))
        #expect(!isRetryable(DiskCacheError(.readOnly, detail: "")))
        #expect(isRetryable(StoreSlowError(.seconds(5))))
        #expect(isRetryable(DecodeError(.workerUnavailable, detail: "")))
        #expect(isRetryable(TransformError(.outOfMemory, detail: "")))
        #expect(isRetryable(EncodeError(.workerUnavailable, format: .png, detail: "")))
        #expect(!isRetryable(DecodeError(.memoryExceeded, detail: "")))
        #expect(!isRetryable(Own()) && !isRetryable(DecodeError(.corrupt, detail: "")))
    }

    @Test func `the code label of an unknown error is other`() {
        #expect(LoadError(stage: .load, underlying: Own()).codeLabel == "other")
    }

    @Test func `an error reports its stage, its URL without secrets and the origin's status`() async throws {
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
