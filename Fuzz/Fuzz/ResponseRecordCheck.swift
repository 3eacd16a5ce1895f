import CalotypeCore
import FoundationEssentials

@testable import CalotypeLoading

/// Checks of response records: read back, and made of header fields.
enum ResponseRecordCheck {
    private static let receivedAt = Timestamp(nanosecondsSince1970: 1_700_000_000_000_000_000)

    /// Bytes that may be a record.
    static func read(_ input: Data) {
        guard let record = ResponseRecord(encoded: input) else { return }
        precondition(record.encoded() == input, "a record is written as it was read")
        use(record, for: request([]))
    }

    /// Lines of `name: value`, for the request and the answer alike.
    static func keep(_ text: String) {
        let headers = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return HeaderField(String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
        }
        let request = request(headers)
        let response = response(headers, status: 200)
        _ = headers.retryAfter
        _ = headers.firstValue(of: "content-range").flatMap(ContentRange.init)
        _ = ResumePoint(response, to: request).continuation(response, after: 5)
        guard
            let record = ResponseRecord(request: request, response: response, receivedAt: receivedAt)
        else { return }
        let data = record.encoded()
        precondition(
            data.count <= ResponseRecord.maxEncodedByteCount,
            "\(data.count) bytes are within the limit"
        )
        precondition(ResponseRecord(encoded: data) == record, "a record reads back as it was written")
        use(record, for: request)
        let renewed = record.renewed(
            by: self.response(headers, status: 304),
            to: request,
            receivedAt: receivedAt + .seconds(9)
        )
        precondition(renewed != nil, "a 304 with the same fields renews")
    }

    private static func use(_ record: ResponseRecord, for request: FetchRequest) {
        for seconds in [-1, 0, 60, 1_000_000] {
            let now = record.receivedAt + .seconds(seconds)
            let isUsable = record.freshness(for: self.request([]), at: now) == .usable
            precondition(!isUsable || now < record.freshUntil, "nothing is used past its end")
            _ = record.freshness(for: request, at: now)
        }
        _ = record.conditionalHeaders
    }

    private static func request(_ headers: [HeaderField]) -> FetchRequest {
        FetchRequest(url: URL(filePath: "/a.test"), headers: headers)
    }

    private static func response(_ headers: [HeaderField], status: Int) -> FetchResponse {
        FetchResponse(
            origin: .network,
            url: URL(filePath: "/a.test"),
            status: status,
            headers: headers,
            body: FetchBody(Data())
        )
    }
}
