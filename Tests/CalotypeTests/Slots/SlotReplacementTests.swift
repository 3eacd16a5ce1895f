import CalotypeTesting
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// Loads that are replaced or cancelled deliver nothing.
@Suite(.gated) @MainActor struct SlotReplacementTests {
    let loads = ScriptedLoads()
    let slot: ImageSlot
    let view = RecordingView()

    init() {
        slot = ImageSlot(source: loads.source)
    }

    // SDWebImage #337, #968 and #1394: the wrong image in a reused cell.
    @Test func `the result of a replaced load is not shown`() async {
        slot.load("https://a.org/1", into: view)
        let late = slot.tasks
        slot.load("https://a.org/2", into: view)
        loads.send(.preview(.ofWidth(1)), of: 0)
        loads.finish(0, width: 1)
        loads.finish(1, width: 2)
        for task in late { await task.value }
        await slot.untilIdle()
        #expect(view.log == ["empty", "empty", "result 2 from network"])
    }

    @Test func `cancelling a slot cancels its load and the result is not shown`() async {
        slot.load("https://a.org/1", into: view)
        let late = slot.tasks
        slot.cancel()
        #expect(!slot.isLoading)
        await loads.untilCancelled(0)
        loads.finish(width: 1)
        for task in late { await task.value }
        #expect(view.log == ["empty"])
    }

    @Test func `a result that is ready when its load is cancelled is not shown`() async {
        slot.load("https://a.org/1", into: view)
        loads.send(.preview(.ofWidth(1)))
        await view.untilTold(2)
        // Nothing suspends between these two, so the task cannot have run.
        let late = slot.tasks
        loads.finish(width: 2)
        slot.cancel()
        for task in late { await task.value }
        #expect(view.log == ["empty", "preview 1"])
    }

    @Test func `a failure that is ready when its load is replaced is not shown`() async {
        slot.load("https://a.org/1", into: view)
        loads.send(.preview(.ofWidth(1)))
        await view.untilTold(2)
        let late = slot.tasks
        loads.fail(with: CancellationError())
        slot.load("https://a.org/2", into: view)
        for task in late { await task.value }
        #expect(view.log == ["empty", "preview 1", "empty"])
        #expect(slot.isLoading)
    }

    // SDWebImage #3834 and #3650: the completion is called again, with "cancelled", after the result.
    @Test func `cancelling a slot after its result shows nothing`() async {
        slot.load("https://a.org/1", into: view)
        loads.finish(width: 1)
        await slot.untilIdle()
        slot.cancel()
        slot.load(nil, into: RecordingView())
        #expect(view.log == ["empty", "result 1 from network"])
    }

    @Test func `a resident image replaces a running load`() async {
        loads.keep(.ofWidth(2), for: "https://a.org/2")
        slot.load("https://a.org/1", into: view)
        slot.load("https://a.org/2", into: view)
        await loads.untilCancelled(0)
        #expect(view.log == ["empty", "result 2 from memory"])
    }

    @Test func `replacing after a result shows the small image before the large one`() async {
        slot.load("https://a.org/small", into: view)
        slot.load(
            "https://a.org/large",
            into: view,
            placeholder: .image(.ofWidth(9)),
            replacing: .afterResult
        )
        loads.finish(0, width: 1)
        await view.untilTold(3)
        #expect(slot.isLoading)
        loads.finish(1, width: 2)
        await slot.untilIdle()
        #expect(view.log == ["empty", "placeholder 9", "result 1 from network", "result 2 from network"])
    }

    @Test func `replacing after a result drops the small image if it arrives last`() async {
        slot.load("https://a.org/small", into: view)
        let late = slot.tasks
        slot.load("https://a.org/large", into: view, replacing: .afterResult)
        loads.finish(1, width: 2)
        await slot.untilIdle()
        loads.finish(0, width: 1)
        for task in late { await task.value }
        #expect(view.log == ["empty", "empty", "result 2 from network"])
    }

    @Test func `an older load that continues shows neither a preview nor a failure`() async {
        slot.load("https://a.org/small", into: view)
        let kept = slot.tasks
        slot.load("https://a.org/large", into: view, replacing: .afterResult)
        loads.send(.preview(.ofWidth(1)), of: 0)
        loads.fail(0, with: CancellationError())
        for task in kept { await task.value }
        #expect(view.log == ["empty", "empty"])
        #expect(slot.isLoading)
    }

    @Test func `at most three older loads continue beside the newest`() async {
        for index in 0..<5 {
            slot.load(
                ImageRequest(stringLiteral: "https://a.org/\(index)"),
                into: view,
                replacing: .afterResult
            )
        }
        await loads.untilCancelled(0)
        #expect(slot.tasks.count == 4)
    }

    @Test func `releasing a slot cancels its load`() async {
        var slot: ImageSlot? = ImageSlot(source: loads.source)
        slot?.load("https://a.org/1", into: view)
        loads.send(.preview(.ofWidth(1)))
        await view.untilTold(2)
        slot = nil
        await loads.untilCancelled(0)
        #expect(view.log == ["empty", "preview 1"])
    }

    // SDWebImage #1375: a crash when a cell is released while it loads.
    @Test func `a target is held weakly and its load is cancelled at the next event after its release`() async
    {
        var view: RecordingView? = RecordingView()
        weak let gone = view
        if let view { slot.load("https://a.org/1", into: view) }
        view = nil
        #expect(gone == nil)
        #expect(slot.isLoading)
        loads.send(.preview(.ofWidth(1)))
        await slot.untilIdle()
        await loads.untilCancelled(0)
        #expect(!slot.isLoading)
    }

    @Test func `random loads and cancellations show the last request that was not cancelled`() async {
        var generator = SeededGenerator(seed: 11)
        for round in 0..<200 {
            var late: [Task<Void, Never>] = []
            let first = loads.requests.count
            for step in 0..<Int.random(in: 1...6, using: &generator) {
                slot.load(ImageRequest(stringLiteral: "https://a.org/\(round)-\(step)"), into: view)
                late += slot.tasks
                if Bool.random(using: &generator) { await Task.yield() }
                if Int.random(in: 0..<4, using: &generator) == 0 { slot.cancel() }
            }
            let wasLoading = slot.isLoading
            let told = view.log.count
            for load in (first..<loads.requests.count).shuffled(using: &generator) {
                loads.finish(load, width: load + 1)
            }
            for task in late { await task.value }
            let expected = wasLoading ? ["result \(loads.requests.count) from network"] : []
            #expect(Array(view.log[told...]) == expected, "round \(round), seed 11")
        }
    }
}
