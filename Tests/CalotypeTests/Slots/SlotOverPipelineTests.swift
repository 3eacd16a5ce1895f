import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// A pipeline over doubles, whose loader waits to be released.
@Suite(.gated) @MainActor struct SlotOverPipelineTests {
    private let loader: GatedDataLoader
    private let pipeline: ImagePipeline

    init() throws {
        let url = try #require(URL(string: "https://a.org/1.fake"))
        loader = GatedDataLoader(StubDataLoader([url: .data(FakeImageDecoder.data(width: 4, height: 3))]))
        var codecs = CodecRegistry()
        codecs.register(FakeImageDecoder())
        pipeline = ImagePipeline(
            ImagePipeline.Configuration(cache: ImageCache(stores: [], codecs: codecs), loader: loader)
        )
    }

    @Test func `a slot shows a loaded image and the next time the resident one`() async {
        let (slot, view) = (ImageSlot(pipeline), RecordingView())
        loader.releaseAll()
        slot.load("https://a.org/1.fake", into: view)
        await slot.untilIdle()
        slot.load("https://a.org/1.fake", into: view)
        #expect(
            view.log.filter { !$0.hasSuffix("bytes") } == [
                "empty", "result 4 from network", "result 4 from memory",
            ]
        )
    }

    @Test func `cancelling a slot cancels the download`() async {
        let (slot, view) = (ImageSlot(pipeline), RecordingView())
        slot.load("https://a.org/1.fake", into: view)
        await loader.until { $0.waiting == 1 }
        slot.cancel()
        await loader.until { $0.cancelled == 1 }
    }

    // SDWebImage #847, #1030: one of two views with the same URL cancels, and the other never gets its image.
    @Test func `cancelling one of two slots with the same request does not affect the other`() async {
        let (first, second, view) = (ImageSlot(pipeline), ImageSlot(pipeline), RecordingView())
        first.load("https://a.org/1.fake", into: RecordingView())
        second.load("https://a.org/1.fake", into: view, placeholder: .onFailure(.ofWidth(9)))
        while pipeline.loads.variants.waiterCount < 2 { await Task.yield() }
        await loader.until { $0.waiting == 1 }
        first.cancel()
        loader.releaseAll()
        await second.untilIdle()
        #expect(view.log.last == "result 4 from network")
        #expect(loader.counts.started == 1)
    }

    @Test func `the slots of a target load independently`() async {
        let (slots, view) = (ImageSlots<Int>(pipeline), RecordingView())
        slots[1].load("https://a.org/1.fake", into: view)
        slots[2].load("https://a.org/absent.fake", into: view)
        await loader.until { $0.waiting == 2 }
        slots.cancel(2)
        await loader.until { $0.cancelled == 1 }
        #expect(slots[1].isLoading)
        #expect(slots.isLoading)
        #expect(slots.key(of: slots[1]) == 1)
        slots.cancelAll()
        #expect(!slots.isLoading)
        await loader.until { $0.cancelled == 2 }
    }

    @Test func `removing a slot cancels its load and the next access creates a new one`() async {
        let (slots, view) = (ImageSlots<String>(pipeline), RecordingView())
        let slot = slots["icon"]
        slot.load("https://a.org/1.fake", into: view)
        await loader.until { $0.waiting == 1 }
        slots.remove("icon")
        await loader.until { $0.cancelled == 1 }
        #expect(slots["icon"] !== slot)
    }

    @Test func `releasing slots cancels their loads`() async {
        var slots: ImageSlots<Int>? = ImageSlots(pipeline)
        slots?[1].load("https://a.org/1.fake", into: RecordingView())
        await loader.until { $0.waiting == 1 }
        slots = nil
        await loader.until { $0.cancelled == 1 }
    }
}
