import CalotypeCodecs
import CalotypeCore
import CalotypeSandbox
import FoundationEssentials
import HostileCodec
import TestSupport
import Testing
import WorkerSupport

@testable import CalotypeTransforms

/// Workers that lie in each field of each response, for every kind of job.
@Suite(.alone, .enabled(Workers.advice, Workers.isAvailable))
struct LyingWorkerJobTests {
    private static let width = 8

    private static func file(_ forgery: Forgery) -> Data {
        let start = forgery.isAnimated ? Data("GIF89a".utf8) : Data([0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10])
        return start + Data("\(forgery)".utf8) + Data(repeating: 0, count: 200)
    }

    /// An image whose pixels contain the text of a forgery.
    private static func image(_ forgery: Forgery) throws -> Image {
        let text = Array("\(forgery)".utf8)
        let bytes = text + [UInt8](repeating: 7, count: 768 - text.count)
        let pixels = try PixelBuffer(byteCount: bytes.count) { target throws(DecodeError) in
            for (index, byte) in bytes.enumerated() { target[index] = byte }
        }
        return Image(size: PixelSize(width: 16, height: 16), pixelFormat: .rgb8, pixels: pixels)
    }

    /// Runs every operation of a codec and ignores its errors.
    private static func use(_ codecs: CodecRegistry, _ forgery: Forgery) {
        let file = file(forgery)
        var options = DecodeOptions()
        options.limits.maxDuration = .milliseconds(200)
        _ = Result { try codecs.info(of: file, limits: options.limits) }
        _ = Result { try codecs.thumbnail(in: file, options: options) }
        _ = Result {
            let preview = codecs.makeIncrementalDecoder(forHead: file, options: options)
            try preview?.append(file)
            _ = try preview?.preview()
        }
        _ = Result {
            let image = try codecs.decode(file, options: options)
            guard let animation = image.animation else { return }
            for index in [1, 0, 1] { _ = try animation.decodeFrame(at: index) }
        }
        _ = Result { try codecs.encode(try image(forgery), as: .png) }
        let steps: TransformChain = [.blur(sigma: 1), .trim()]
        _ = Result { try steps.apply(to: try image(forgery), at: codecs.transformPlace) }
    }

    @Test func `a repeated response ends its worker and the next job succeeds`() async throws {
        let workers = try await Workers.started(maxCount: 1) { $0.arguments = ["liar"] }
        for forgery in Forgery.repeated {
            let lostCount = workers.statistics.lostCount
            let truth = Self.file(.none(isAnimated: false))
            let size = try await workers.run { codecs in
                Self.use(codecs, forgery)
                return try codecs.decode(truth).size
            }
            #expect(size == PixelSize(width: 16, height: 16), "\(forgery)")
            #expect(workers.statistics.lostCount == lostCount + 1, "\(forgery)")
        }
    }

    @Test(arguments: [false, true])
    func `no false response and no exit of a worker ends the program`(isAnimated: Bool) async throws {
        let workers = try await Workers.started(maxCount: Self.width) {
            $0.arguments = ["liar"]
            $0.maxEncodeDuration = .milliseconds(200)
            $0.maxTransformDuration = .milliseconds(200)
            $0.maxMemoryByteCount = 64 << 20
        }
        let forgeries = Forgery.all(isAnimated: isAnimated)
        #expect(forgeries.count > 500)
        // Concurrently, since most of the time is spent waiting for workers that send too little.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, forgery) in forgeries.enumerated() {
                if index >= Self.width { try await group.next() }
                group.addTask { try await workers.run { codecs in Self.use(codecs, forgery) } }
            }
            try await group.waitForAll()
        }
        let truth = Forgery.none(isAnimated: isAnimated)
        let image = try await workers.run { try $0.decode(Self.file(truth), options: DecodeOptions()) }
        #expect(image.size == PixelSize(width: 16, height: 16))
    }
}
