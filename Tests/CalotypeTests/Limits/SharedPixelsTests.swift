import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype
@testable import CalotypeLoading

/// Pixels of several variants that are made from one shared decode.
@Suite(.gated) struct SharedPixelsTests {
    @Test func `variants made from one shared decode stay within the budget of pixels`() async throws {
        let (images, gate) = (SharedState(LivingImages()), AsyncGate())
        let loader = ScriptedDataLoader { request, _ in
            await gate.wait()
            return .network(request.url, FakeImageDecoder.data(width: 400, height: 300))
        }
        var configuration = AdmissionBench.configuration(FakeImageDecoder(), loader)
        configuration.workGate = AdmissionGate(maxCount: 4, maxWaitingCount: 1_000)
        // Each of them alone takes nearly half of it.
        configuration.maxWorkByteCount = 4 << 20
        let pipeline = ImagePipeline(configuration)
        let tasks = try (0..<64).map { number in
            var request = try AdmissionBench.request("shared.test")
            request.transforms = TransformChain(TrackedCopy(number: number, images: images))
            request.encoding = ImageEncoding(PNGEncoder())
            return Task { [request] in try await pipeline.data(for: request) }
        }
        while pipeline.loads.originals.waiterCount < tasks.count { await Task.yield() }
        gate.open()
        for task in tasks { _ = try await task.value }
        #expect(images.value.greatestCount <= 8, "images that wait for their encoder at the same time")
    }
}

private struct LivingImages: Sendable {
    private struct Reference: Sendable {
        weak let image: Image?
    }

    private var references: [Reference] = []
    private(set) var greatestCount = 0

    mutating func note(_ image: Image) {
        references.removeAll { $0.image == nil }
        references.append(Reference(image: image))
        greatestCount = max(greatestCount, references.count)
    }
}

private struct TrackedCopy: ImageTransform {
    let number: Int
    let images: SharedState<LivingImages>

    var cacheIdentity: String { "tracked-\(number)-1()" }

    func apply(to image: Image) -> Image {
        let pixels = PixelBuffer(byteCount: image.pixels.byteCount) { target in
            image.pixels.withUnsafeBytes { source in
                for index in source.indices { target[index] = source[index] }
            }
        }
        let copy = Image(size: image.size, pixelFormat: image.pixelFormat, pixels: pixels)
        images.withLock { $0.note(copy) }
        return copy
    }

    static func == (left: TrackedCopy, right: TrackedCopy) -> Bool { left.number == right.number }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
