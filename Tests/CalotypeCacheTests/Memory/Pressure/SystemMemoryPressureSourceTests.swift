import CalotypeSupport
import CalotypeTesting
import Glibc
import TestSupport
import Testing

@testable import CalotypeCache

@Suite(.blocking) struct SystemMemoryPressureSourceTests {
    /// Pressure from the start: the other end of a pipe is closed, which `poll` reports at once.
    private struct FakeSignal: MemoryPressureSignal {
        let descriptor: Descriptor
        let readings: SharedState<[MemoryPressureReading]>

        init(_ readings: [MemoryPressureReading]) throws {
            var ends: [Int32] = [-1, -1]
            try #require(pipe(&ends) == 0)
            close(ends[1])
            descriptor = try #require(Descriptor(ends[0]))
            self.readings = SharedState(readings)
        }

        func read(returnedEvents: Int16) -> MemoryPressureReading {
            readings.withLock { $0.isEmpty ? .broken : $0.removeFirst() }
        }
    }

    private struct SilentSignal: MemoryPressureSignal {
        let descriptor: Descriptor

        init() throws {
            descriptor = try #require(Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC)))
        }

        func read(returnedEvents: Int16) -> MemoryPressureReading { .nothing }
    }

    @Test(arguments: [[2, 2, 0], [9, 4, 0]])
    func `events are forwarded at most at their rate`(seconds: [Int]) async throws {
        let signal = try FakeSignal([
            .pressure(.warning), .nothing, .pressure(.warning), .pressure(.critical), .pressure(.warning),
        ])
        let clock = ManualClock()
        let steps = SharedState(seconds)
        let heard = SharedState<[MemoryPressure]>([])
        let ended = AsyncGate()
        let source = SystemMemoryPressureSource(
            makeSignals: { [signal] },
            startThread: { name, body in
                SystemThread.start(name: name) {
                    body()
                    ended.open()
                }
            },
            uptime: {
                clock.advance(by: .seconds(steps.withLock { $0.isEmpty ? 0 : $0.removeFirst() }))
                return clock.now.offset
            }
        )
        let subscription = source.subscribe { pressure in heard.withLock { $0.append(pressure) } }
        await ended.wait()
        #expect(heard.value == [.warning, .critical])
        subscription.cancel()
        #expect(!source.isMonitoring)
    }

    @Test func `without a thread no handler is called, and the next subscription starts one`() throws {
        let signal = try SilentSignal()
        let refusals = SharedState((left: 1, asked: 0))
        let source = SystemMemoryPressureSource(
            makeSignals: { [signal] },
            startThread: { name, body in
                let isRefused = refusals.withLock { state in
                    state.asked += 1
                    state.left -= 1
                    return state.left >= 0
                }
                return !isRefused && SystemThread.start(name: name, body: body)
            }
        )
        let first = source.subscribe { _ in }
        #expect(!source.isMonitoring)
        let second = source.subscribe { _ in }
        #expect(source.isMonitoring)
        #expect(refusals.value.asked == 2)
        first.cancel()
        second.cancel()
        #expect(!source.isMonitoring)
    }

    @Test func `a subscription may start and end while the signals are opened`() throws {
        let signal = try SilentSignal()
        let isOpening = SharedState(true)
        let holder = SharedState<SystemMemoryPressureSource?>(nil)
        let source = SystemMemoryPressureSource(makeSignals: {
            let isFirst = isOpening.withLock { isOpening in
                defer { isOpening = false }
                return isOpening
            }
            // Would deadlock if the files were opened under the lock that this call takes.
            if isFirst { holder.value?.subscribe { _ in }.cancel() }
            return [signal]
        })
        holder.withLock { $0 = source }
        let subscription = source.subscribe { _ in }
        #expect(source.isMonitoring)
        subscription.cancel()
        #expect(!source.isMonitoring)
        holder.withLock { $0 = nil }
    }

    @Test(arguments: [10])
    func `the thread ends with the last subscriber`(rounds: Int) async throws {
        let signal = try SilentSignal()
        for _ in 0..<rounds {
            let ended = AsyncGate()
            let source = SystemMemoryPressureSource(
                makeSignals: { [signal] },
                startThread: { name, body in
                    SystemThread.start(name: name) {
                        body()
                        ended.open()
                    }
                }
            )
            let subscription = source.subscribe { _ in }
            #expect(source.isMonitoring)
            subscription.cancel()
            await ended.wait()
        }
    }

    @Test(.enabled(if: !openSystemSignals().isEmpty, "the kernel tells this process of no pressure"))
    func `the real source takes a trigger and ends with the last subscriber`() throws {
        let source = SystemMemoryPressureSource()
        let first = source.subscribe { _ in }
        let second = source.subscribe { _ in }
        #expect(source.isMonitoring)
        first.cancel()
        #expect(source.isMonitoring)
        second.cancel()
        #expect(!source.isMonitoring)
        let again = source.subscribe { _ in }
        #expect(source.isMonitoring)
        withExtendedLifetime(again) {}
    }

    @Test func `a source without signals has no thread`() {
        let source = SystemMemoryPressureSource(makeSignals: { [] })
        let subscription = source.subscribe { _ in }
        #expect(!source.isMonitoring)
        withExtendedLifetime(subscription) {}
    }

    @Test func `a trigger on an invalid pressure file is rejected`() {
        let folder = StallSignal(path: "/", trigger: .warning, pressure: .warning)
        #expect(folder == nil)
        #expect(StallSignal(path: "/nonexistent/pressure", trigger: .warning, pressure: .warning) == nil)
        #expect(CgroupSignal(folder: "/nonexistent") == nil)
    }
}
