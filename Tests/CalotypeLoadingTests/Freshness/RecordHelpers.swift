import CalotypeCore
import CalotypeLoading
import FoundationEssentials

/// The reference time of the tests: Sun, 06 Nov 1994 08:49:37 GMT.
let noon = Timestamp(nanosecondsSince1970: 784_111_777_000_000_000)

extension FetchRequest {
    static func sample(_ headers: KeyValuePairs<String, String> = [:]) -> FetchRequest {
        FetchRequest(
            url: URL(filePath: "/a.test"),
            headers: headers.map { HeaderField($0.key, $0.value) }
        )
    }
}

extension FetchResponse {
    /// A response without a body.
    static func sample(
        _ headers: KeyValuePairs<String, String> = [:],
        status: Int = 200
    ) -> FetchResponse {
        FetchResponse(
            origin: .network,
            url: URL(filePath: "/a.test"),
            status: status,
            headers: headers.map { HeaderField($0.key, $0.value) },
            body: FetchBody(Data())
        )
    }
}

func record(
    _ headers: KeyValuePairs<String, String> = [:],
    status: Int = 200,
    to request: FetchRequest = .sample()
) -> ResponseRecord? {
    ResponseRecord(request: request, response: .sample(headers, status: status), receivedAt: noon)
}
