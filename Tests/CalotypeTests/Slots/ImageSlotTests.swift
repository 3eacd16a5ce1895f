import CalotypeTesting
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

private struct Refusal: Error, CustomStringConvertible {
    let description = "refused"
}

@Suite(.gated) @MainActor struct ImageSlotTests {
    let loads = ScriptedLoads()
    let slot: ImageSlot
    let view = RecordingView()

    init() {
        slot = ImageSlot(source: loads.source)
    }

    // Kingfisher #1598: an image in memory flickers.
    @Test func `a resident image is shown within the call without a placeholder`() {
        loads.keep(.ofWidth(3), for: "https://a.org/1")
        slot.load("https://a.org/1", into: view, placeholder: .image(.ofWidth(9)))
        #expect(view.log == ["result 3 from memory"])
        #expect(!slot.isLoading)
        #expect(loads.requests == [])
    }

    @Test func `progress, previews and the result arrive in order`() async {
        slot.load("https://a.org/1", into: view)
        loads.send(.progress(LoadProgress(byteCount: 10, expectedByteCount: nil)))
        loads.send(.preview(.ofWidth(1)))
        loads.send(.preview(.ofWidth(2)))
        loads.finish(width: 3)
        await slot.untilIdle()
        #expect(view.log == ["empty", "10 bytes", "preview 1", "preview 2", "result 3 from network"])
        #expect(!slot.isLoading)
    }

    @Test func `a placeholder is shown when a load starts`() {
        slot.load("https://a.org/1", into: view, placeholder: .image(.ofWidth(9)))
        #expect(view.log == ["placeholder 9"])
        #expect(slot.isLoading)
    }

    @Test func `a placeholder for failures is shown only after the load has failed`() async {
        slot.load("https://a.org/1", into: view, placeholder: .onFailure(.ofWidth(9)))
        #expect(view.log == [])
        loads.fail(with: Refusal())
        await slot.untilIdle()
        #expect(view.log == ["failure refused 9"])
    }

    @Test func `a failure after a preview restores the placeholder`() async {
        slot.load("https://a.org/1", into: view, placeholder: .image(.ofWidth(9)))
        loads.send(.preview(.ofWidth(1)))
        loads.fail(with: Refusal())
        await slot.untilIdle()
        #expect(view.log == ["placeholder 9", "preview 1", "failure refused 9"])
        #expect(!slot.isLoading)
    }

    // SDWebImage #2702: cases without any callback.
    @Test func `a load cancelled from outside is shown as a failure`() async {
        slot.load("https://a.org/1", into: view)
        loads.fail(with: CancellationError())
        await slot.untilIdle()
        #expect(view.log == ["empty", "failure CancellationError()"])
    }

    @Test func `loading nil leaves the slot empty or with its placeholder`() async {
        slot.load("https://a.org/1", into: view)
        slot.load(nil, into: view)
        slot.load(nil, into: view, placeholder: .image(.ofWidth(9)))
        #expect(view.log == ["empty", "empty", "placeholder 9"])
        #expect(slot.request == nil)
        #expect(!slot.isLoading)
        await loads.untilCancelled(0)
    }

    @Test func `a slot has its request during and after the load`() async {
        #expect(slot.request == nil)
        slot.load("https://a.org/1", into: view)
        #expect(slot.request == "https://a.org/1")
        loads.finish(width: 1)
        await slot.untilIdle()
        #expect(slot.request == "https://a.org/1")
    }

    // SDWebImage #3568: the same URL cancels the load and restarts it.
    @Test func `loading the same request does not restart it unless a restart is requested`() async {
        slot.load("https://a.org/1", into: view)
        slot.load("https://a.org/1", into: view, placeholder: .image(.ofWidth(9)))
        #expect(view.log == ["empty"])
        #expect(loads.requests.count == 1)
        slot.load("https://a.org/1", into: view, replacing: .restart)
        #expect(loads.requests.count == 2)
        await loads.untilCancelled(0)
        loads.finish(1, width: 2)
        await slot.untilIdle()
        #expect(view.log == ["empty", "empty", "result 2 from network"])
    }

    @Test func `the same request for another target starts a new load`() {
        let other = RecordingView()
        slot.load("https://a.org/1", into: view)
        slot.load("https://a.org/1", into: other)
        #expect(loads.requests.count == 2)
        #expect(other.log == ["empty"])
    }

    @Test func `the same request with another priority changes the priority of the load`() {
        slot.load("https://a.org/1", into: view)
        var urgent: ImageRequest = "https://a.org/1"
        urgent.priority = .high
        slot.load(urgent, into: view)
        #expect(loads.requests.count == 1)
        #expect(loads.priority(of: 0) == .high)
    }

    @Test func `the priority of a running load can be changed`() {
        #expect(slot.priority == nil)
        slot.load("https://a.org/1", into: view)
        #expect(slot.priority == .normal)
        slot.setPriority(.highest)
        #expect(slot.priority == .highest)
        #expect(loads.priority(of: 0) == .highest)
    }

    @Test func `a target may start another load while it shows a placeholder`() async {
        view.onShow = { content, slot in
            if case .placeholder = content { slot.load("https://a.org/2", into: self.view) }
        }
        slot.load("https://a.org/1", into: view, placeholder: .image(.ofWidth(9)))
        #expect(loads.requests == ["https://a.org/2"])
        loads.finish(width: 2)
        await slot.untilIdle()
        #expect(view.log == ["placeholder 9", "empty", "result 2 from network"])
    }

    @Test func `a target may load again while it shows a failure`() async {
        view.onShow = { content, slot in
            if case .failure = content { slot.load("https://a.org/1", into: self.view) }
        }
        slot.load("https://a.org/1", into: view)
        loads.fail(with: Refusal())
        await view.untilTold(3)
        loads.finish(1, width: 2)
        await slot.untilIdle()
        #expect(view.log == ["empty", "failure refused", "empty", "result 2 from network"])
    }
}
