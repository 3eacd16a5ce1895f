import CalotypeCore
import FoundationEssentials

/// What is known of a body that has broken off, to tell whether another answer can continue it.
struct ResumePoint {
    /// How an answer continues the body.
    enum Continuation: Hashable {
        /// Its body follows what was handed on; the whole has so many bytes.
        case rest(totalByteCount: Int)
        /// Its body is the whole once more: so many bytes are to be passed over.
        case whole(skippedByteCount: Int)
    }

    private let headers: [HeaderField]
    private let expectedByteCount: Int?
    /// Whether a URL is the one that gave the first bytes.
    private let isSource: @Sendable (URL) -> Bool
    private let isPart: Bool
    /// Bytes of what was unpacked are not those that a range counts.
    private let isPacked: Bool

    /// Remembers the head of the first answer.
    ///
    /// - Parameters:
    ///   - response: The answer.
    ///   - request: The request that it answers.
    ///   - isSource: Whether a URL is the one that answered; compared with the response's unless given.
    init(
        _ response: FetchResponse,
        to request: FetchRequest,
        from isSource: (@Sendable (URL) -> Bool)? = nil
    ) {
        let source = response.url.requestText
        self.isSource = isSource ?? { $0.requestText == source }
        headers = response.headers
        expectedByteCount = response.expectedByteCount
        let coding = response.headers.combinedValue(of: "content-encoding")?.lowercased() ?? "identity"
        isPacked = coding != "identity"
        isPart = response.status == 206 || request.headers.combinedValue(of: "range") != nil
    }

    /// The request for what is missing; `nil` where nothing could tell that the parts belong together.
    func request(_ first: FetchRequest, from byteCount: Int) -> FetchRequest? {
        guard byteCount > 0 else { return first }
        guard !isPart, !isPacked, let validator = strongValidator else { return nil }
        // Who gives no parts is asked for the whole, whose beginning is passed over (RFC 9110 §14.3).
        if givesNoParts { return strongTag == nil ? nil : first }
        let range = [HeaderField("Range", "bytes=\(byteCount)-"), HeaderField("If-Range", validator)]
        return first.conditional(on: FetchConditions(range, of: isSource))
    }

    /// How an answer continues the body after so many bytes; `nil` where it does not, as an answer of another
    /// URL never does.
    func continuation(_ answer: FetchResponse, after byteCount: Int) -> Continuation? {
        guard isSource(answer.url) else { return nil }
        guard byteCount > 0 else {
            // The head has been handed on already: it must be the head of this answer, too.
            return isTwin(answer) ? .whole(skippedByteCount: 0) : nil
        }
        if answer.status == 206 { return rest(answer, byteCount) }
        guard answer.status == 200, let tag = strongTag, answer.headers.entityTag?.text == tag.text else {
            return nil
        }
        return agrees(answer.expectedByteCount) ? .whole(skippedByteCount: byteCount) : nil
    }

    private func rest(_ answer: FetchResponse, _ byteCount: Int) -> Continuation? {
        let text = answer.headers.firstValue(of: "content-range")
        guard
            let range = text.flatMap(ContentRange.init), range.start == byteCount,
            agrees(range.totalByteCount),
            let total = range.totalByteCount ?? expectedByteCount
        else { return nil }
        // `If-Range` has been checked by the origin; what it says of itself must not contradict.
        for name in ["etag", "last-modified"] {
            guard let told = answer.headers.firstValue(of: name) else { continue }
            if told != headers.firstValue(of: name) { return nil }
        }
        return .rest(totalByteCount: total)
    }

    private func isTwin(_ answer: FetchResponse) -> Bool {
        ["etag", "last-modified", "content-type", "content-range"].allSatisfy { name in
            answer.headers.firstValue(of: name) == headers.firstValue(of: name)
        } && agrees(answer.expectedByteCount)
    }

    private func agrees(_ byteCount: Int?) -> Bool {
        byteCount == nil || expectedByteCount == nil || byteCount == expectedByteCount
    }

    private var givesNoParts: Bool {
        headers.combinedValue(of: "accept-ranges")?.lowercased() == "none"
    }

    private var strongTag: EntityTag? {
        headers.entityTag.flatMap { $0.isStrong ? $0 : nil }
    }

    /// What `If-Range` may carry (RFC 9110 §13.1.5).
    private var strongValidator: String? {
        if let tag = headers.entityTag { return tag.isStrong ? tag.text : nil }
        // Within a second two contents may share a date; a minute is far from any trouble with clocks
        // (RFC 9110 §8.8.2.2).
        guard let modified = headers.firstValue(of: "last-modified"),
            let date = headers.firstValue(of: "date"),
            let age = HTTPDate.interval(from: modified, to: date), age >= .seconds(60)
        else { return nil }
        return modified
    }
}

extension [HeaderField] {
    fileprivate var entityTag: EntityTag? {
        firstValue(of: "etag").map { EntityTag($0) }
    }
}
