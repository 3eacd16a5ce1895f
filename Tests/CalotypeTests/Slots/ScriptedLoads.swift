import CalotypeSupport
import CalotypeTesting
import PipelineSupport

@testable import Calotype

/// Loads whose events a test sends, in order of their start.
final class ScriptedLoads: Sendable {
    private struct State: Sendable {
        var resident: [ImageRequest: Image] = [:]
        var requests: [ImageRequest] = []
        var priorities: [LivePriority] = []
        var events: [AsyncThrowingStream<ImageEvent, any Error>.Continuation] = []
        var cancelled: Set<Int> = []
        var watchers: [(cancelled: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Guarded(State())

    var source: SlotSource {
        SlotSource(
            residentImage: { request in self.state.withLock { $0.resident[request] } },
            events: { request, priority in self.begin(request, priority) }
        )
    }

    var requests: [ImageRequest] { state.withLock { $0.requests } }

    func priority(of load: Int) -> LoadPriority { state.withLock { $0.priorities[load] }.value }

    func keep(_ image: Image, for request: ImageRequest) {
        state.withLock { $0.resident[request] = image }
    }

    func send(_ event: ImageEvent, of load: Int = 0) {
        let events = state.withLock { $0.events[load] }
        events.yield(event)
        if case .finished = event { events.finish() }
    }

    func finish(_ load: Int = 0, width: Int) {
        send(.finished(LoadedImage(image: .ofWidth(width), source: .network)), of: load)
    }

    func fail(_ load: Int = 0, with error: any Error) {
        state.withLock { $0.events[load] }.finish(throwing: error)
    }

    /// Waits until a load is cancelled or its events are released.
    func untilCancelled(_ load: Int) async {
        await withCheckedContinuation { continuation in
            let isCancelled = state.withLock { state in
                guard !state.cancelled.contains(load) else { return true }
                state.watchers.append((load, continuation))
                return false
            }
            if isCancelled { continuation.resume() }
        }
    }

    private func begin(
        _ request: ImageRequest,
        _ priority: LivePriority
    ) -> AsyncThrowingStream<ImageEvent, any Error> {
        let (stream, continuation) = AsyncThrowingStream<ImageEvent, any Error>.makeStream()
        let load = state.withLock { state in
            state.requests.append(request)
            state.priorities.append(priority)
            state.events.append(continuation)
            return state.events.count - 1
        }
        continuation.onTermination = { reason in
            guard case .cancelled = reason else { return }
            self.noteCancelled(load)
        }
        return stream
    }

    private func noteCancelled(_ load: Int) {
        let met = state.withLock { state in
            state.cancelled.insert(load)
            let met = state.watchers.filter { $0.cancelled == load }.map(\.continuation)
            state.watchers.removeAll { $0.cancelled == load }
            return met
        }
        for watcher in met { watcher.resume() }
    }
}

extension ImageSlot {
    /// The tasks of the running loads; nothing is delivered after they have ended.
    var tasks: [Task<Void, Never>] { state.withLock { $0.running.values.compactMap(\.task) } }

    /// Waits until the running loads have ended and delivered.
    func untilIdle() async {
        for task in tasks { await task.value }
    }
}

extension Image {
    static func ofWidth(_ width: Int) -> Image {
        TestImages.asymmetric(PixelSize(width: width, height: 1))
    }
}

extension SlotContent {
    /// The kind of the content and the width of its image.
    var summary: String {
        let width = image.map { " \($0.size.width)" } ?? ""
        return switch self {
        case .empty: "empty"
        case .placeholder: "placeholder\(width)"
        case .preview: "preview\(width)"
        case .result(let loaded): "result\(width) from \(loaded.source)"
        case .failure(let error, _): "failure \(error)\(width)"
        }
    }
}

@MainActor final class RecordingView: ImageTarget {
    private(set) var log: [String] = []
    private var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    /// An additional action for each content.
    var onShow: (SlotContent, ImageSlot) -> Void = { _, _ in }

    func show(_ content: SlotContent, in slot: ImageSlot) {
        note(content.summary)
        onShow(content, slot)
    }

    func report(_ progress: LoadProgress, in slot: ImageSlot) {
        note("\(progress.byteCount) bytes")
    }

    /// Waits until the log has this number of entries.
    func untilTold(_ count: Int) async {
        guard log.count < count else { return }
        await withCheckedContinuation { watchers.append((count, $0)) }
    }

    private func note(_ line: String) {
        log.append(line)
        let met = watchers.filter { $0.count <= log.count }
        watchers.removeAll { $0.count <= log.count }
        for watcher in met { watcher.continuation.resume() }
    }
}
