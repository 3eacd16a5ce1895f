import CalotypeLoading
import CalotypeTesting
import FoundationEssentials

let lost = FetchError(.connectionLost, isRetryable: true, detail: "lost")

extension RetryPolicy {
    /// Two retries without delay.
    static let prompt: RetryPolicy = {
        var policy = RetryPolicy()
        policy.maxFirstDelay = .zero
        return policy
    }()
}

extension FetchResponse {
    /// A response of chunks that ends with a given error.
    static func chunks(
        _ chunks: [Data],
        then failure: FetchError? = nil,
        status: Int = 200,
        _ headers: KeyValuePairs<String, String> = [:],
        expecting byteCount: Int? = nil
    ) -> FetchResponse {
        FetchResponse(
            origin: .network,
            url: URL(filePath: "/a.test"),
            status: status,
            headers: headers.map { HeaderField($0.key, $0.value) },
            expectedByteCount: byteCount,
            body: FetchBody(chunks, then: failure)
        )
    }
}

extension FetchRequest {
    subscript(name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
