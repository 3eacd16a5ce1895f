import Calotype
import Testing

@Suite struct CodedErrorTests {
    /// Labels whose meaning differs between error types (decision 0355).
    private static let exceptions: Set = ["crashed", "unsupportedFeature"]

    @Test func `codes with equal labels have the same fault`() {
        let all: [any ErrorCode] = DecodeError.Code.all + EncodeError.Code.all + TransformError.Code.all
        for (label, codes) in Dictionary(grouping: all, by: \.label) {
            let faults = Set(codes.map(\.fault))
            #expect((faults.count == 1) == !Self.exceptions.contains(label), "\(label): \(faults)")
        }
    }

    @Test func `every code is found by its label`() {
        for code in DecodeError.Code.all { #expect(DecodeError.Code(label: code.label) == code) }
        for code in EncodeError.Code.all { #expect(EncodeError.Code(label: code.label) == code) }
        for code in TransformError.Code.all { #expect(TransformError.Code(label: code.label) == code) }
        #expect(DecodeError.Code(label: "sunny") == nil)
    }

    @Test func `an error is described by its code and its detail`() {
        let errors: [any CodedError] = [
            FetchError(.timedOut, detail: "5 s"), DiskCacheError(.closed, detail: "open a new one"),
            TransformError(.emptyResult, detail: "0×0"), StoreFull(),
        ]
        let texts = ["timedOut: 5 s", "closed: open a new one", "emptyResult: 0×0", "full: 3 of 3"]
        #expect(errors.map { "\($0)" } == texts)
        #expect(errors.map(\.fault) == [.origin, .caller, .caller, .limit])
    }

    @Test func `an error of a custom component has its own code, fault and retry`() {
        let error = LoadError(stage: .store, underlying: StoreFull())
        #expect((error.code.label, error.fault, error.isRetryable) == ("full", .limit, true))
    }
}

/// The error of a custom store.
private struct StoreFull: CodedError {
    enum Code: String, ErrorCode {
        case full

        var label: String { rawValue }
        var fault: Fault { .limit }
    }

    let code = Code.full
    let detail = "3 of 3"
    let isRetryable = true
}
