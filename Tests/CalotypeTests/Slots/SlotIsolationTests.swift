import CalotypeTesting
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

@globalActor private actor Drawing {
    static let shared = Drawing()
}

/// A widget of an actor other than the main one.
@Drawing private final class Widget: ImageTarget {
    let slot: ImageSlot
    var log: [String] = []

    init(_ loads: ScriptedLoads) {
        slot = ImageSlot(source: loads.source)
    }

    func show(_ content: SlotContent, in slot: ImageSlot) {
        Drawing.assertIsolated()
        log.append(content.summary)
    }

    func load(_ request: ImageRequest) { slot.load(request, into: self) }
}

/// A class that is neither isolated nor sendable; its owner does not share it.
private final class Cell: ImageTarget {
    var log: [String] = []

    func show(_ content: SlotContent, in slot: ImageSlot) { log.append(content.summary) }
}

/// An actor that owns a cell.
private actor Grid {
    let slot: ImageSlot
    let cell = Cell()

    init(_ loads: ScriptedLoads) {
        slot = ImageSlot(source: loads.source)
    }

    var log: [String] { cell.log }

    func load(_ request: ImageRequest) { slot.load(request, into: cell) }
}

private actor Canvas: ActorImageTarget {
    let slot: ImageSlot
    var log: [String] = []

    init(_ loads: ScriptedLoads) {
        slot = ImageSlot(source: loads.source)
    }

    func show(_ content: SlotContent, in slot: ImageSlot) { log.append(content.summary) }

    func report(_ progress: LoadProgress, in slot: ImageSlot) { log.append("\(progress.byteCount) bytes") }

    func load(_ request: ImageRequest) { slot.load(request, into: self) }
}

/// A target without an actor, which synchronizes itself.
private final class SharedTarget: ImageTarget, Sendable {
    let log = SharedState<[String]>([])

    func show(_ content: SlotContent, in slot: ImageSlot) { log.withLock { $0.append(content.summary) } }
}

@Suite(.gated) struct SlotIsolationTests {
    let loads = ScriptedLoads()

    @Test func `a target of another global actor is notified on that actor`() async {
        let widget = await Widget(loads)
        await widget.load("https://a.org/1")
        loads.finish(width: 1)
        await widget.slot.untilIdle()
        #expect(await widget.log == ["empty", "result 1 from network"])
    }

    @Test func `a target owned by an actor is notified on that actor`() async {
        let grid = Grid(loads)
        await grid.load("https://a.org/1")
        loads.finish(width: 1)
        await grid.slot.untilIdle()
        #expect(await grid.log == ["empty", "result 1 from network"])
    }

    @Test func `an actor can be a target itself`() async {
        let canvas = Canvas(loads)
        await canvas.load("https://a.org/1")
        loads.send(.progress(LoadProgress(byteCount: 5, expectedByteCount: 10)))
        loads.finish(width: 1)
        await canvas.slot.untilIdle()
        #expect(await canvas.log == ["empty", "5 bytes", "result 1 from network"])
    }

    @Test func `a target without an actor gets a resident image within the call`() async {
        let (slot, target) = (ImageSlot(source: loads.source), SharedTarget())
        loads.keep(.ofWidth(2), for: "https://a.org/2")
        slot.load("https://a.org/2", into: target)
        #expect(target.log.value == ["result 2 from memory"])
        slot.load("https://a.org/1", into: target)
        // A task that has delivered its result is removed from the slot.
        let tasks = slot.tasks
        loads.finish(width: 1)
        for task in tasks { await task.value }
        #expect(target.log.value == ["result 2 from memory", "empty", "result 1 from network"])
    }

    @Test func `a target without an actor gets one result although many threads load into its slot`() async {
        let (slot, target) = (ImageSlot(source: loads.source), SharedTarget())
        let tasks = SharedState<[Task<Void, Never>]>([])
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<200 {
                group.addTask {
                    slot.load(ImageRequest(stringLiteral: "https://a.org/\(index)"), into: target)
                    tasks.withLock { $0 += slot.tasks }
                }
            }
        }
        let last = slot.request
        let lastLoad = loads.requests.lastIndex { $0 == last } ?? 0
        for load in 0..<loads.requests.count { loads.finish(load, width: load + 1) }
        for task in tasks.value + slot.tasks { await task.value }
        #expect(target.log.value.filter { $0 != "empty" } == ["result \(lastLoad + 1) from network"])
    }
}
