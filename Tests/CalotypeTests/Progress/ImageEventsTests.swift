import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

@Suite(.gated) struct ImageEventsTests {
    private let body = PacedBody()

    private func bench(_ configure: (inout ImagePipeline.Configuration) -> Void = { _ in }) -> PipelineBench {
        PipelineBench(configure) { [body] request, _ in
            FetchResponse(origin: .network, url: request.url, expectedByteCount: 100, body: body.body)
        }
    }

    private static let head = FakeImageDecoder.data(width: 40, height: 30)

    /// The next event other than that of the start, which may be over before it is read.
    private func next(_ events: inout ImageEvents.Iterator) async throws -> ImageEvent? {
        while let event = try await events.next() {
            if case .progress(let progress) = event, progress.byteCount == 0 { continue }
            return event
        }
        return nil
    }

    @Test func `a started load reports progress before any byte has arrived`() async throws {
        let bench = bench()
        var events = bench.pipeline.events(for: bench.request()).makeAsyncIterator()
        guard case .progress(let progress) = try await events.next() else { Issue.record("none"); return }
        #expect(progress == LoadProgress(byteCount: 0, expectedByteCount: 100))
        body.finish()
    }

    @Test func `events are progress, then the result, then nothing`() async throws {
        let bench = bench()
        var events = bench.pipeline.events(for: bench.request()).makeAsyncIterator()
        body.send(Self.head)
        guard case .progress(let progress) = try await next(&events) else { Issue.record("none"); return }
        #expect(progress == LoadProgress(byteCount: Self.head.count, expectedByteCount: 100))
        #expect(progress.fraction == Double(Self.head.count) / 100)
        body.finish()
        guard case .finished(let loaded) = try await events.next() else { Issue.record("none"); return }
        #expect(loaded.source == .network)
        #expect(try await events.next() == nil)
        #expect(try await events.next() == nil)
    }

    @Test func `a resident image is the only event`() async throws {
        let bench = bench()
        body.send(Self.head)
        body.finish()
        _ = try await bench.pipeline.image(for: bench.request())
        var count = 0
        for try await event in bench.pipeline.events(for: bench.request()) {
            guard case .finished(let loaded) = event else { Issue.record("\(event)"); continue }
            #expect(loaded.source == .memory)
            count += 1
        }
        #expect(count == 1)
    }

    @Test func `progress is delivered at a limited rate`() async throws {
        let bench = bench { $0.progressInterval = .seconds(1) }
        let feed = EventFeed(interval: .seconds(1), now: { [instant = bench.instant] in instant.now })
        feed.offer(LoadProgress(byteCount: 1, expectedByteCount: nil))
        guard case .progress(let first) = try await feed.next() else { Issue.record("none"); return }
        #expect(first.byteCount == 1)
        let next = Task { try await feed.next() }
        while !feed.isAwaited { await Task.yield() }
        feed.offer(LoadProgress(byteCount: 2, expectedByteCount: nil))
        #expect(feed.isAwaited, "too early")
        bench.instant.advance(by: .seconds(1))
        feed.offer(LoadProgress(byteCount: 3, expectedByteCount: nil))
        guard case .progress(let second) = try await next.value else { Issue.record("none"); return }
        #expect(second.byteCount == 3)
    }

    @Test func `only the newest event of each kind is buffered for a slow consumer`() async throws {
        let feed = EventFeed(interval: .zero, now: { .now })
        let image = TestImages.photograph(PixelSize(width: 2, height: 2))
        for count in 1...1_000 {
            feed.offer(LoadProgress(byteCount: count, expectedByteCount: nil))
            feed.offer(image)
        }
        guard case .preview = try await feed.next() else { Issue.record("no preview"); return }
        guard case .progress(let progress) = try await feed.next() else { Issue.record("none"); return }
        #expect(progress.byteCount == 1_000)
        feed.finish(.success(LoadedImage(image: image, source: .network)))
        guard case .finished = try await feed.next() else { Issue.record("no end"); return }
    }

    @Test func `the last progress is delivered before the result despite the rate limit`() async throws {
        let feed = EventFeed(interval: .seconds(1), now: { [instant = ManualInstant()] in instant.now })
        let image = TestImages.photograph(PixelSize(width: 2, height: 2))
        feed.offer(LoadProgress(byteCount: 1, expectedByteCount: 3))
        guard case .progress = try await feed.next() else { Issue.record("no first progress"); return }
        feed.offer(LoadProgress(byteCount: 2, expectedByteCount: 3))
        feed.offer(LoadProgress(byteCount: 3, expectedByteCount: 3))
        feed.offer(image)
        feed.finish(.success(LoadedImage(image: image, source: .network)))
        guard case .progress(let last) = try await feed.next() else { Issue.record("no last one"); return }
        #expect(last.fraction == 1)
        guard case .finished = try await feed.next() else { Issue.record("no end"); return }
        #expect(try await feed.next() == nil)
    }

    @Test func `a load that ends before its events are read still reports its full progress`() async throws {
        let bench = bench()
        body.send(Self.head)
        body.finish()
        var last: LoadProgress?
        for try await event in bench.pipeline.events(for: bench.request()) {
            if case .progress(let progress) = event { last = progress }
        }
        #expect(last?.byteCount == Self.head.count)
    }

    @Test func `a failure is thrown once and ends the events`() async throws {
        let bench = PipelineBench { _, _ in throw FetchError(.connectionLost, detail: "lost") }
        var events = bench.pipeline.events(for: bench.request()).makeAsyncIterator()
        let error = try await #require(throws: LoadError.self) { _ = try await events.next() }
        #expect(error.codeLabel == "connectionLost")
        #expect(try await events.next() == nil)
    }

    @Test func `releasing the events cancels the download`() async throws {
        let bench = bench()
        do {
            var events = bench.pipeline.events(for: bench.request()).makeAsyncIterator()
            body.send(Self.head)
            _ = try await events.next()
        }
        await body.isDropped.wait()
        await bench.pipeline.loads.variants.untilIdle()
        #expect(bench.store.keys == [])
    }

    @Test func `cancelling one consumer leaves the load to another`() async throws {
        let bench = bench()
        let request = bench.request()
        let (cancelled, kept) = (SharedState(0), SharedState(0))
        let first = Task {
            for try await _ in bench.pipeline.events(for: request) { cancelled.withLock { $0 += 1 } }
        }
        let second = Task {
            for try await _ in bench.pipeline.events(for: request) { kept.withLock { $0 += 1 } }
        }
        while bench.pipeline.loads.variants.waiterCount < 2 { await Task.yield() }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        body.send(Self.head)
        body.finish()
        try await second.value
        #expect(kept.value >= 1)
        #expect(bench.loader.requests.count == 1)
    }

    @Test func `a consumer that joins a load receives its current progress`() async throws {
        let bench = bench()
        var early = bench.pipeline.events(for: bench.request()).makeAsyncIterator()
        body.send(Self.head)
        _ = try await next(&early)
        var late = bench.pipeline.events(for: bench.request()).makeAsyncIterator()
        guard case .progress(let progress) = try await late.next() else { Issue.record("none"); return }
        #expect(progress.byteCount == Self.head.count)
        body.finish()
    }
}
