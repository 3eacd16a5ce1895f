import Calotype
import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import Testing

/// A random call of the stress tests: its request, its method, and its cancellation.
struct StressCall: Sendable {
    enum Method: CaseIterable, Sendable {
        case image, load, data, encodedData, events, abandonedEvents
    }

    enum End: Hashable, Sendable {
        case value
        case failed(String)
        case cancelled
        /// The consumer of events stopped before the last one.
        case abandoned
    }

    static let widths = [nil, 32, 16, 8]

    let page: StressPage
    let credentials: String?
    let width: Int?
    let method: Method
    let policy: CachePolicy
    let httpCaching: HTTPCaching
    let waitsForStore: Bool
    let ignoresPastFailure: Bool
    let priorities: [LoadPriority]
    /// The number of yields before the cancellation, if any.
    let patience: Int?

    /// Draws a random call.
    ///
    /// - Parameters:
    ///   - random: The generator.
    ///   - pages: The number of pages of each kind.
    ///   - faultPercentage: The percentage of pages that fail or stall.
    ///   - cancellationPercentage: The percentage of cancelled calls; a stalling call is always cancelled.
    init(
        _ random: inout SeededGenerator,
        pages: Int,
        faultPercentage: Int = 50,
        cancellationPercentage: Int = 50
    ) {
        func draw<Choice>(_ choices: [Choice]) -> Choice {
            choices[Int.random(in: 0..<choices.count, using: &random)]
        }
        func isDrawn(_ percentage: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percentage }
        let isFault = isDrawn(faultPercentage)
        let kinds: [StressPage.Kind] =
            isFault ? [.missing, .broken, .reset, .garbage, .empty, .stall] : [.whole, .chunked, .redirect]
        page = StressPage(kind: draw(kinds), index: Int.random(in: 0..<pages, using: &random))
        credentials = draw(StressPage.credentials)
        width = draw(Self.widths)
        method = draw(Method.allCases)
        policy = draw([.standard, .standard, .standard, .refresh, .memoryOnly, .disabled])
        httpCaching = draw([.ignoresHTTP, .respectsHTTP])
        waitsForStore = isDrawn(50)
        ignoresPastFailure = isDrawn(50)
        let changeCount = Int.random(in: 0...2, using: &random)
        priorities = (0...changeCount).map { _ in draw(LoadPriority.allCases) }
        let isCancelled = isDrawn(cancellationPercentage) || page.kind == .stall
        patience = isCancelled ? Int.random(in: 0...60, using: &random) : nil
    }

    func request(to base: URL) -> ImageRequest {
        var request = ImageRequest(url: base.appending(path: page.path))
        if let credentials { request.headers = [HeaderField("Authorization", credentials)] }
        if let width { request.decoding.target = .fit(PixelBox(width: width)) }
        if method == .encodedData { request.encoding = ImageEncoding(PNGEncoder()) }
        request.cachePolicy = policy
        request.httpCaching = httpCaching
        request.waitsForStore = waitsForStore
        request.ignoresPastFailure = ignoresPastFailure
        request.priority = priorities[0]
        return request
    }

    /// Runs the call, cancels it at its time, and checks its outcome.
    ///
    /// - Parameters:
    ///   - base: The base URL of the pages.
    ///   - pipeline: The pipeline under test.
    ///   - extraCodes: Error codes that are as acceptable as the page's own.
    /// - Returns: The outcome.
    func run(_ base: URL, _ pipeline: ImagePipeline, allowing extraCodes: Set<String> = []) async -> End {
        let request = request(to: base)
        let priority = LivePriority(priorities[0])
        let task = Task { await outcome(of: request, priority, pipeline) }
        for next in priorities.dropFirst() {
            await Task.yield()
            priority.value = next
        }
        if let patience {
            for _ in 0..<patience { await Task.yield() }
            task.cancel()
        }
        let end = await task.value
        let isExpected =
            switch end {
            case .value: page.kind.errorCode == nil && page.kind != .stall
            case .failed(let code): code == page.kind.errorCode || extraCodes.contains(code)
            case .cancelled: patience != nil || extraCodes.contains("cancelled")
            case .abandoned: method == .abandonedEvents
            }
        #expect(isExpected, "\(self) ended with \(end)")
        return end
    }

    private func outcome(of request: ImageRequest, _ priority: LivePriority, _ pipeline: ImagePipeline) async
        -> End
    {
        do {
            switch method {
            case .image: check(try await pipeline.image(for: request, priority: priority).size)
            case .load: check(try await pipeline.load(request, priority: priority).image.size)
            case .data:
                let encoded = try await pipeline.data(for: request, priority: priority)
                check(encoded.info.size)
                // With a width the pipeline encodes the bytes; else they are the origin's, too long to print.
                let isOriginal = encoded.data == page.body(credentials)
                #expect(isOriginal == (width == nil), "\(self)")
            case .encodedData: check(try await pipeline.data(for: request, priority: priority).info.size)
            case .events, .abandonedEvents: return try await events(of: request, priority, pipeline)
            }
            return .value
        } catch let error as LoadError {
            return .failed(error.codeLabel)
        } catch is CancellationError {
            return .cancelled
        } catch {
            Issue.record("\(self) ended with \(error)")
            return .failed("\(error)")
        }
    }

    private func events(
        of request: ImageRequest,
        _ priority: LivePriority,
        _ pipeline: ImagePipeline
    ) async throws -> End {
        var results = 0
        for try await event in pipeline.events(for: request, priority: priority) {
            #expect(results == 0, "an event after the last: \(self)")
            if case .finished(let loaded) = event {
                check(loaded.image.size)
                results += 1
            } else if method == .abandonedEvents {
                return .abandoned
            }
        }
        #expect(results == 1, "\(self)")
        return .value
    }

    /// Checks that an image has the page's size, scaled as requested.
    private func check(_ size: PixelSize) {
        let whole = page.size(credentials)
        let height = width.map { whole.height * $0 / whole.width } ?? whole.height
        #expect(size == PixelSize(width: width ?? whole.width, height: height), "\(self)")
    }
}
