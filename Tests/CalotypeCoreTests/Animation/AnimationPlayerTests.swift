import CalotypeCore
import CalotypeSupport
import CalotypeTesting
import TestSupport
import Testing

@Suite(.gated) struct AnimationPlayerTests {
    private let clock = ManualClock()

    private func animation(
        _ frameCount: Int,
        _ loopCount: LoopCount = .infinite,
        durations: [Duration] = [.milliseconds(100)]
    ) -> Animation {
        Animation(
            source: FakeFrameSource(frameCount: frameCount, loopCount: loopCount, durations: durations),
            budget: FrameBudget(maxByteCount: 1 << 20)
        )
    }

    /// Advances the clock to the player's next wake-up.
    private func advanceByNextSleep() async -> Duration {
        let duration = await clock.nextSleep()
        clock.advance(by: duration)
        return duration
    }

    @Test func `each frame is shown for its duration`() async throws {
        let durations: [Duration] = [.milliseconds(100), .milliseconds(20), .milliseconds(300)]
        let player = AnimationPlayer(animation(3, .times(1), durations: durations), clock: clock)
        var frames = player.frames.makeAsyncIterator()
        #expect(try await frames.next()?.index == 0)
        for (index, duration) in durations.enumerated() {
            async let slept = advanceByNextSleep()
            let frame = try await frames.next()
            #expect(frame?.index == (index < 2 ? index + 1 : nil))
            #expect(await slept == duration)
        }
        #expect(try await frames.next() == nil)
    }

    @Test func `the rate scales the time between frames`() async throws {
        let player = AnimationPlayer(animation(3), rate: 4, clock: clock)
        var frames = player.frames.makeAsyncIterator()
        _ = try await frames.next()
        async let slept = advanceByNextSleep()
        #expect(try await frames.next()?.index == 1)
        #expect(await slept == .milliseconds(25))
    }

    @Test func `a player with its own frame buffer respects its limit and shares nothing`() async throws {
        let shared = FrameBudget(maxByteCount: 1 << 20)
        let animation = Animation(source: FakeFrameSource(frameCount: 4), budget: shared)
        let frame = try animation.decodeFrame(at: 0)
        shared.removeAll()
        let limit = 2 * frame.pixels.byteCount
        let player = AnimationPlayer(animation, maxFrameBufferByteCount: limit)
        for index in 0..<4 { _ = try player.animation.decodeFrame(at: index) }
        #expect((0..<4).map { player.animation.residentFrame(at: $0) != nil } == [false, false, true, true])
        #expect(shared.byteCount == 0 && animation.residentFrame(at: 3) == nil)
        #expect(AnimationPlayer(animation).animation === animation)
        let bare = AnimationPlayer(animation, maxFrameBufferByteCount: 0)
        #expect(try bare.animation.decodeFrame(at: 1).rgba8() == animation.decodeFrame(at: 1).rgba8())
        #expect(bare.animation.residentFrame(at: 1) == nil)
    }

    @Test func `no frame is skipped for a slow caller`() async throws {
        let player = AnimationPlayer(animation(4, .times(2)), clock: clock)
        var indices: [Int] = []
        for try await frame in player.frames {
            indices.append(frame.index)
            clock.advance(by: .seconds(5))
        }
        #expect(indices == [0, 1, 2, 3, 0, 1, 2, 3])
    }

    @Test func `the loop handler is called for each loop, including the last`() async throws {
        let heard = Guarded<[Int]>([])
        let player = AnimationPlayer(animation(2), loopCount: .times(3), clock: clock) { count in
            heard.withLock { $0.append(count) }
        }
        for try await _ in player.frames { clock.advance(by: .seconds(1)) }
        #expect(heard.withLock { $0 } == [1, 2, 3])
        #expect(player.completedLoopCount == 3 && player.currentIndex == 1)
        var again = player.frames.makeAsyncIterator()
        let first = try await again.next()
        #expect(first?.index == 0 && first?.completedLoopCount == 0)
    }

    @Test func `a seek shows its frame at once, also while waiting or paused`() async throws {
        let player = AnimationPlayer(animation(10), clock: clock)
        var frames = player.frames.makeAsyncIterator()
        #expect(try await frames.next()?.index == 0)
        let clock = clock
        async let sought: Void = {
            _ = await clock.nextSleep()
            player.seek(to: 7, completedLoopCount: 2)
        }()
        let frame = try await frames.next()
        await sought
        #expect(frame?.index == 7 && frame?.completedLoopCount == 2 && clock.now.offset == .zero)
        player.isPaused = true
        player.seek(to: 3)
        #expect(try await frames.next()?.index == 3)
        #expect(player.currentIndex == 3 && player.completedLoopCount == 0)
    }

    @Test func `a paused player waits until it is resumed`() async throws {
        let player = AnimationPlayer(animation(3), clock: clock)
        var frames = player.frames.makeAsyncIterator()
        _ = try await frames.next()
        player.isPaused = true
        clock.advance(by: .seconds(10))
        async let resumed: Void = { player.isPaused = false }()
        #expect(try await frames.next()?.index == 1)
        await resumed
    }

    @Test func `a cancelled task ends the playback with a cancellation error`() async throws {
        let player = AnimationPlayer(animation(3), clock: clock)
        let shown = AsyncGate()
        let task = Task {
            for try await _ in player.frames { shown.open() }
        }
        await shown.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `a frame that cannot be decoded ends the playback with its error`() async throws {
        let source = FakeFrameSource(frameCount: 3, failingIndex: 1)
        let animation = Animation(source: source, budget: FrameBudget(maxByteCount: 0))
        let player = AnimationPlayer(animation, clock: clock)
        clock.advance(by: .seconds(1))
        await #expect(throws: FakeFrameSource.Failure.self) { try await player.frames.first { $0.index > 0 } }
    }
}
