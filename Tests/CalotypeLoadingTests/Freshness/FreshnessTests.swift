import CalotypeCore
import TestSupport
import Testing

@testable import CalotypeLoading

/// One row: a response received at noon, a later request, and the expected freshness.
struct FreshnessCase: CustomTestStringConvertible, Sendable {
    let rule: String
    var answer: [HeaderField]
    var request: [HeaderField] = []
    let seconds: Int
    let expected: Freshness

    init(
        _ rule: String,
        _ answer: KeyValuePairs<String, String>,
        request: String? = nil,
        at seconds: Int,
        _ expected: Freshness
    ) {
        self.rule = rule
        self.answer = answer.map { HeaderField($0.key, $0.value) }
        self.request = request.map { [HeaderField("Cache-Control", $0)] } ?? []
        self.seconds = seconds
        self.expected = expected
    }

    var testDescription: String { "\(rule) at \(seconds) s" }
}

private let revalidate = Freshness.needsRevalidation(usableOnErrorUntil: nil)

private func revalidate(orUseFor seconds: Int) -> Freshness {
    .needsRevalidation(usableOnErrorUntil: noon + .seconds(seconds))
}

private let date = "Sun, 06 Nov 1994 08:49:37 GMT"
private let minuteEarlier = "Sun, 06 Nov 1994 08:48:37 GMT"
private let minuteLater = "Sun, 06 Nov 1994 08:50:37 GMT"
private let tenDaysEarlier = "Thu, 27 Oct 1994 08:49:37 GMT"
private let yearEarlier = "Sat, 06 Nov 1993 08:49:37 GMT"

@Suite(.gated)
struct `Rules of freshness` {
    private func check(_ row: FreshnessCase) throws {
        var response = FetchResponse.sample()
        response.headers = row.answer
        let record = try #require(
            ResponseRecord(request: .sample(), response: response, receivedAt: noon),
            "\(row.rule): stored"
        )
        var request = FetchRequest.sample()
        request.headers = row.request
        let freshness = record.freshness(for: request, at: noon + .seconds(row.seconds))
        #expect(freshness == row.expected, "\(row.rule), \(row.answer), \(row.request), at \(row.seconds) s")
    }

    static let lifetimes: [FreshnessCase] = [
        .init("9111 §5.2.2.1: max-age", ["Cache-Control": "max-age=60"], at: 59, .usable),
        .init(
            "9111 §4.2: stale from the lifetime's end",
            ["Cache-Control": "max-age=60"],
            at: 60,
            revalidate
        ),
        .init(
            "9111 §4.2.1: max-age before Expires",
            ["Cache-Control": "max-age=60", "Expires": "0"],
            at: 59,
            .usable
        ),
        .init(
            "9111 §5.2.2.10: s-maxage is for shared caches",
            ["Cache-Control": "s-maxage=60"],
            at: 0,
            revalidate
        ),
        .init(
            "9111 §5.2.2.10: beside max-age",
            ["Cache-Control": "s-maxage=0, max-age=60"],
            at: 59,
            .usable
        ),
        .init(
            "9111 §4.2.1: the first of two",
            ["Cache-Control": "max-age=60, max-age=600"],
            at: 61,
            revalidate
        ),
        .init("9111 §4.2.1: nonsense is stale", ["Cache-Control": "max-age=soon"], at: 0, revalidate),
        .init("9111 §5.3: Expires minus Date", ["Expires": minuteLater, "Date": date], at: 59, .usable),
        .init("9111 §5.3: and no longer", ["Expires": minuteLater, "Date": date], at: 60, revalidate),
        .init("9111 §5.3: without Date", ["Expires": minuteLater], at: 59, .usable),
        .init("9111 §5.3: 0 is the past", ["Expires": "0", "Last-Modified": yearEarlier], at: 0, revalidate),
        .init("9111 §5.3: so is nonsense", ["Expires": "tomorrow"], at: 0, revalidate),
        .init("9111 §5.3: and the past", ["Expires": minuteEarlier, "Date": date], at: 0, revalidate),
        .init("9111 §4.2.2: a tenth", ["Last-Modified": tenDaysEarlier, "Date": date], at: 86_399, .usable),
        .init(
            "9111 §4.2.2: and no longer",
            ["Last-Modified": tenDaysEarlier, "Date": date],
            at: 86_400,
            revalidate
        ),
        .init("9111 §4.2.2: at most a day", ["Last-Modified": yearEarlier], at: 86_400, revalidate),
        .init(
            "9111 §4.2.2: modified later",
            ["Last-Modified": minuteLater, "Date": date],
            at: 0,
            revalidate
        ),
        .init("9111 §4.2.2: nothing said", ["ETag": "\"a\""], at: 0, revalidate),
    ]

    @Test(arguments: lifetimes)
    func `lifetimes follow RFC 9111`(row: FreshnessCase) throws { try check(row) }

    static let ages: [FreshnessCase] = [
        .init("9111 §5.1: Age", ["Cache-Control": "max-age=60", "Age": "20"], at: 40, revalidate),
        .init("9111 §5.1: Age, not yet", ["Cache-Control": "max-age=60", "Age": "20"], at: 39, .usable),
        .init(
            "9111 §5.1: a wrong one is passed over",
            ["Cache-Control": "max-age=60", "Age": "x"],
            at: 59,
            .usable
        ),
        .init(
            "9111 §5.1: a huge one",
            ["Cache-Control": "max-age=60", "Age": "9999999999999"],
            at: 0,
            revalidate
        ),
        .init(
            "9111 §4.2.3: apparent age",
            ["Cache-Control": "max-age=90", "Date": minuteEarlier],
            at: 30,
            revalidate
        ),
        .init(
            "9111 §4.2.3: not yet",
            ["Cache-Control": "max-age=90", "Date": minuteEarlier],
            at: 29,
            .usable
        ),
        .init(
            "9111 §4.2.3: the greater of both",
            ["Cache-Control": "max-age=90", "Date": minuteEarlier, "Age": "30"],
            at: 29,
            .usable
        ),
        .init(
            "9111 §4.2.3: a Date to come is no age",
            ["Cache-Control": "max-age=60", "Date": minuteLater],
            at: 59,
            .usable
        ),
        .init("a record from the future", ["Cache-Control": "max-age=60"], at: -1, revalidate),
        .init(
            "5861 §3: Age counts",
            ["Cache-Control": "max-age=60, stale-while-revalidate=30", "Age": "80"],
            at: 10,
            .usableWhileRevalidating
        ),
        .init(
            "5861 §3: Age counts, after it",
            ["Cache-Control": "max-age=60, stale-while-revalidate=30", "Age": "80"],
            at: 11,
            revalidate
        ),
        .init(
            "5861 §4: Age counts",
            ["Cache-Control": "max-age=60, stale-if-error=30", "Age": "80"],
            at: 5,
            revalidate(orUseFor: 10)
        ),
        .init(
            "9111 §5.2.1.2: Age counts for max-stale",
            ["Cache-Control": "max-age=60", "Age": "91"],
            request: "max-stale=30",
            at: 0,
            revalidate
        ),
    ]

    @Test(arguments: ages)
    func `ages follow RFC 9111`(row: FreshnessCase) throws { try check(row) }

    static let rules: [FreshnessCase] = [
        .init(
            "9111 §5.2.2.3: must-understand",
            ["Cache-Control": "must-understand, no-store, max-age=60"],
            at: 59,
            .usable
        ),
        .init("9111 §5.2.2.4: no-cache", ["Cache-Control": "no-cache, max-age=60"], at: 0, revalidate),
        .init(
            "9111 §5.2.2.4: for fields",
            ["Cache-Control": "no-cache=\"x\", max-age=60"],
            at: 0,
            revalidate
        ),
        .init(
            "9111 §5.2.2.4: whatever 5861 says",
            ["Cache-Control": "no-cache, stale-if-error=9"],
            at: 0,
            revalidate
        ),
        .init(
            "9111 §5.2.2.2: must-revalidate",
            ["Cache-Control": "must-revalidate, max-age=60"],
            at: 59,
            .usable
        ),
        .init(
            "9111 §5.2.2.2: stops 5861",
            ["Cache-Control": "must-revalidate, max-age=1, stale-while-revalidate=9, stale-if-error=9"],
            at: 2,
            revalidate
        ),
        .init("9111 §5.2.2.7: private is ours", ["Cache-Control": "private, max-age=60"], at: 59, .usable),
        .init(
            "9111 §5.2.2.8: proxy-revalidate is not",
            ["Cache-Control": "proxy-revalidate, max-age=1, stale-while-revalidate=9"],
            at: 5,
            .usableWhileRevalidating
        ),
        .init(
            "5861 §3: within the window",
            ["Cache-Control": "max-age=60, stale-while-revalidate=30"],
            at: 90,
            .usableWhileRevalidating
        ),
        .init(
            "5861 §3: after it",
            ["Cache-Control": "max-age=60, stale-while-revalidate=30"],
            at: 91,
            revalidate
        ),
        .init(
            "5861 §3: before it",
            ["Cache-Control": "max-age=60, stale-while-revalidate=30"],
            at: 59,
            .usable
        ),
        .init(
            "5861 §4: within the window",
            ["Cache-Control": "max-age=60, stale-if-error=30"],
            at: 90,
            revalidate(orUseFor: 90)
        ),
        .init("5861 §4: after it", ["Cache-Control": "max-age=60, stale-if-error=30"], at: 91, revalidate),
        .init(
            "5861: both",
            ["Cache-Control": "max-age=60, stale-if-error=90, stale-while-revalidate=30"],
            at: 91,
            revalidate(orUseFor: 150)
        ),
        .init(
            "8246 §2: a reload",
            ["Cache-Control": "max-age=60, immutable"],
            request: "max-age=0",
            at: 59,
            .usable
        ),
        .init(
            "8246 §2: a forced reload",
            ["Cache-Control": "max-age=60, immutable"],
            request: "no-cache",
            at: 9,
            revalidate
        ),
        .init(
            "8246 §2: not past the lifetime",
            ["Cache-Control": "max-age=60, immutable"],
            at: 60,
            revalidate
        ),
    ]

    @Test(arguments: rules)
    func `directives of the response are followed`(row: FreshnessCase) throws { try check(row) }

    private static let minute: KeyValuePairs = ["Cache-Control": "max-age=60"]
    private static let lenient: KeyValuePairs = ["Cache-Control": "max-age=60, stale-while-revalidate=60"]

    static let wishes: [FreshnessCase] = [
        .init("9111 §5.2.1.4: no-cache", minute, request: "no-cache", at: 0, revalidate),
        .init("9111 §5.2.1.1: max-age=0", minute, request: "max-age=0", at: 0, revalidate),
        .init("9111 §5.2.1.1: young enough", minute, request: "max-age=30", at: 29, .usable),
        .init("9111 §5.2.1.1: too old", minute, request: "max-age=30", at: 30, revalidate),
        .init("9111 §5.2.1.1: cannot extend", minute, request: "max-age=600", at: 60, revalidate),
        .init("9111 §5.2.1.2: max-stale", minute, request: "max-stale", at: 99_999, .usable),
        .init("9111 §5.2.1.2: with a limit", minute, request: "max-stale=30", at: 90, .usable),
        .init("9111 §5.2.1.2: past it", minute, request: "max-stale=30", at: 91, revalidate),
        .init(
            "9111 §5.2.2.2: not against the origin",
            ["Cache-Control": "max-age=60, must-revalidate"],
            request: "max-stale",
            at: 61,
            revalidate
        ),
        .init("9111 §5.2.1.3: min-fresh", minute, request: "min-fresh=30", at: 29, .usable),
        .init("9111 §5.2.1.3: too little left", minute, request: "min-fresh=30", at: 30, revalidate),
        .init("5861 §3 and max-age", lenient, request: "max-age=70", at: 65, .usableWhileRevalidating),
        .init("5861 §3 and max-age, missed", lenient, request: "max-age=70", at: 75, revalidate),
        .init("5861 §3 and min-fresh", lenient, request: "min-fresh=1", at: 65, revalidate),
        .init("5861 §4 in a request", minute, request: "stale-if-error=30", at: 61, revalidate(orUseFor: 90)),
        .init("9111 §5.2.1.7: only-if-cached, fresh", minute, request: "only-if-cached", at: 59, .usable),
        .init("9111 §5.2.1.7: stale", minute, request: "only-if-cached", at: 60, .unavailable),
        .init("9111 §5.2.1.7: no request is sent", lenient, request: "only-if-cached", at: 65, .usable),
        .init("9111 §5.2.1.7: and max-stale", minute, request: "only-if-cached, max-stale", at: 99, .usable),
    ]

    @Test(arguments: wishes)
    func `directives of the request are followed`(row: FreshnessCase) throws { try check(row) }

    @Test func `the time between request and response counts as age`() throws {
        let record = try #require(
            ResponseRecord(
                request: .sample(),
                response: .sample(["Cache-Control": "max-age=60", "Age": "10"]),
                sentAt: noon - .seconds(20),
                receivedAt: noon
            )
        )
        #expect(record.freshness(for: .sample(), at: noon + .seconds(29)) == .usable)
        #expect(record.freshness(for: .sample(), at: noon + .seconds(30)) == revalidate)
    }

    @Test func `a status without heuristic freshness has no lifetime by default`() throws {
        let headers: KeyValuePairs = ["Last-Modified": yearEarlier, "Cache-Control": "public"]
        #expect(try #require(record(headers, status: 201)).freshUntil == noon)
        #expect(try #require(record(headers, status: 404)).freshUntil == noon + .seconds(86_400))
    }

    @Test func `connection failures and some statuses count as origin failures`() {
        for status in [500, 502, 503, 504] {
            #expect(FetchError(.unacceptableStatus, status: status, detail: "").isOriginFailure)
        }
        for status in [400, 404, 410, 429, 501] {
            #expect(!FetchError(.unacceptableStatus, status: status, detail: "").isOriginFailure)
        }
        #expect(FetchError(.connectionFailed, detail: "").isOriginFailure)
        #expect(!FetchError(.bodyTooLarge, detail: "").isOriginFailure)
        #expect(!FetchError(.overloaded, detail: "").isOriginFailure)
    }
}
