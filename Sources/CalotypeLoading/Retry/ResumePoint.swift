import CalotypeCore
import FoundationEssentials

/// The state of an interrupted body, to decide whether another response can continue it.
struct ResumePoint {
    /// The way in which a response continues the body.
    enum Continuation: Hashable {
        /// Its body follows the bytes passed on; the whole has this many bytes.
        case rest(totalByteCount: Int)
        /// Its body is the whole again: this many bytes must be skipped.
        case whole(skippedByteCount: Int)
    }

    private let headers: [HeaderField]
    private let expectedByteCount: Int?
    // Whether a URL is the one that sent the first bytes.
    private let isSource: @Sendable (URL) -> Bool
    private let isPart: Bool
    // The offsets of a range do not apply to decompressed bytes.
    private let isPacked: Bool

    /// Records the header of the first response.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - request: The request.
    ///   - isSource: Whether a URL is the one that responded; compared with the response's unless given.
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

    /// Returns the request for the rest; `nil` if the parts could not be proved to belong together.
    func request(_ first: FetchRequest, from byteCount: Int) -> FetchRequest? {
        guard byteCount > 0 else { return first }
        guard !isPart, !isPacked, let validator = strongValidator else { return nil }
        // An origin without range support is asked for the whole, whose beginning is skipped (RFC 9110
        // §14.3).
        if givesNoParts { return strongTag == nil ? nil : first }
        let range = [HeaderField("Range", "bytes=\(byteCount)-"), HeaderField("If-Range", validator)]
        return first.conditional(on: FetchConditions(range, of: isSource))
    }

    /// Returns how a response continues the body after this many bytes; `nil` if it does not.
    ///
    /// A response from another URL never does.
    func continuation(_ answer: FetchResponse, after byteCount: Int) -> Continuation? {
        guard isSource(answer.url) else { return nil }
        guard byteCount > 0 else {
            // The header has been passed on already: this response must have the same header.
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
        // The origin has checked `If-Range`; the validators of its response must not contradict.
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

    /// The value for `If-Range` (RFC 9110 §13.1.5).
    private var strongValidator: String? {
        if let tag = headers.entityTag { return tag.isStrong ? tag.text : nil }
        // Two versions may share a modification time within a second; a minute excludes problems with clocks
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
