import CalotypeCodecs
import CalotypeCore
import CalotypeSandbox
import CalotypeTesting
import HostileCodec
import TestSupport
import Testing
import WorkerSupport

@testable import CalotypeTransforms

/// Transforms in workers; the transform suites compare their results with those in process.
@Suite(.alone, .blocking, .serialized, .enabled(Workers.advice, Workers.isAvailable))
struct WorkerTransformTests {
    private static let image = TestImages.photograph(PixelSize(width: 400, height: 300))

    private func error(
        of chain: TransformChain,
        on image: Image = image,
        in workers: CodecWorkers
    ) async throws -> TransformError? {
        do {
            _ = try await workers.run { try chain.apply(to: image, at: $0.transformPlace) }
            return nil
        } catch let error as TransformError {
            return error
        }
    }

    @Test func `consecutive steps of a still are one job and a crop with a trim needs none`() async throws {
        let workers = try await Workers.started(maxCount: 1)
        let chain: TransformChain = [
            .crop(to: PixelSize(width: 50, height: 50)), .blur(sigma: 1),
            .smartCrop(to: PixelSize(width: 20, height: 30)), .trim(), .grayscale,
        ]
        let image = Self.image
        let result = try await workers.run { try chain.apply(to: image, at: $0.transformPlace) }
        #expect(workers.statistics.jobCount == 1)
        #expect(result.rgba8() == (try chain.apply(to: image)).rgba8())
        _ = try await workers.run {
            try TransformChain.crop(to: result.size).appending(.trim()).apply(
                to: image,
                at: $0.transformPlace
            )
        }
        #expect(workers.statistics.jobCount == 1)
    }

    @Test func `a transform throws the same error as in process`() async throws {
        let workers = try await Workers.shared
        let outside = TransformChain.invert.appending(.crop(to: PixelRect(x: 999, y: 0, width: 1, height: 1)))
        let error = try #require(try await error(of: outside, in: workers))
        #expect(error.code == .emptyResult)
        #expect(throws: error) { try outside.apply(to: Self.image) }
    }

    @Test func `a transform that exceeds its time or memory is stopped and the next one succeeds`()
        async throws
    {
        let hasty = try await Workers.started(maxCount: 1) { $0.maxTransformDuration = .milliseconds(200) }
        let large = TestImages.photograph(PixelSize(width: 3_000, height: 2_000))
        let slow = TransformChain(steps: Array(repeating: TransformChain.blur(sigma: 60), count: 20))
        // The worker takes longer than the limit to start.
        while try await error(of: .invert, in: hasty) != nil {}
        #expect(try await error(of: slow, on: large, in: hasty)?.code == .timedOut)
        let small = try await Workers.started(maxCount: 1) { $0.maxMemoryByteCount = 128 << 20 }
        let huge = TransformChain.resize(to: PixelSize(width: 9_000, height: 9_000), kernel: .nearest)
        #expect(try await error(of: huge, in: small)?.code == .memoryExceeded)
        #expect(try await error(of: .invert, in: small) == nil)
        #expect(small.statistics.lossCounts == [.memoryExceeded: 1])
    }

    @Test(arguments: details.keys)
    func `an invalid response to a transform is an error`(lie: PixelLie) async throws {
        let workers = try await Workers.started(maxCount: 1) { $0.arguments = [lie.rawValue] }
        let image = Self.image
        let error = await #expect(throws: TransformError.self) {
            try await workers.run { codecs in
                let place = try #require(codecs.transformPlace)
                let chain = TransformChain.smartCrop(to: PixelSize(width: 9, height: 9))
                let message = try #require(TransformMessage(leading: chain.steps, of: image.size))
                if lie == .partBeside || lie == .partOfNothing {
                    _ = try place.part(of: image, by: message)
                } else {
                    _ = try place.apply(message, to: image)
                }
            }
        }
        #expect(error?.code == .crashed, "\(String(describing: error))")
        #expect(error?.detail == "the worker " + (Self.details[lie] ?? ""))
    }

    private static let details: [PixelLie: String] = [
        .hugeSize: "sent more pixels than the limit",
        .partBeside: "sent a rectangle outside the image",
        .partOfNothing: "sent a rectangle outside the image",
        .otherAnswer: "sent an unexpected response type",
        .unknownError: "sent an unknown error code",
        .needlessFrame: "requested a frame of a still image",
    ]
}
