import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@testable import CalotypeCodecs

/// Damaged files, and files that cost more than their size suggests.
@Suite(.blocking, .inBothModes) struct GIFHostileTests {
    private func code(
        _ data: Data,
        _ limits: DecodeLimits = DecodeLimits(),
        by gif: any ImageDecoder = GIFDecoder().tested
    ) -> DecodeError.Code? {
        decodeError {
            try gif.decode(data, options: DecodeOptions(limits: limits)).allFrames()
        }?.code
    }

    private func infoCode(
        _ data: Data,
        by gif: any ImageDecoder = GIFDecoder().tested
    ) -> DecodeError.Code? {
        decodeError { try gif.info(of: data, limits: DecodeLimits()) }?.code
    }

    // MARK: - Cost

    @Test func `a huge canvas in a small file is refused`() {
        let bomb = GIFFile(width: 65535, height: 65535, frames: [.filled(1, width: 1, height: 1)]).data
        #expect(bomb.count < 70)
        #expect(code(bomb) == .limitExceeded && infoCode(bomb) == .limitExceeded)
    }

    @Test func `a huge frame on a small canvas is refused`() {
        var file = GIFFile(width: 1, height: 1, frames: [.filled(1, width: 1, height: 1)])
        file.frames[0].width = 65535
        file.frames[0].height = 65535
        #expect(code(file.data) == .limitExceeded && infoCode(file.data) == .limitExceeded)
    }

    @Test func `frames larger than the canvas count together`() {
        var file = GIFFile(width: 1, height: 1, frames: [.filled(1, width: 1, height: 1)])
        file.frames[0].width = 10_000
        file.frames[0].height = 10_000
        file.frames = [GIFFile.Frame](repeating: file.frames[0], count: 41)
        #expect(infoCode(file.data) == .limitExceeded)
        file.frames.removeLast()
        #expect(infoCode(file.data) == nil)
    }

    @Test func `many frames are refused`() {
        var file = GIFFile(width: 1, height: 1, frames: [])
        let frame = GIFFile.image(.filled(1, width: 1, height: 1))
        file.trailer = Data([UInt8](frame) * 100_000)
        #expect(code(file.data) == .limitExceeded && infoCode(file.data) == .limitExceeded)
    }

    @Test func `small frames on a large canvas are counted as canvases`() {
        var file = GIFFile(width: 2000, height: 2000, frames: [])
        let frame = GIFFile.image(.filled(1, width: 1, height: 1))
        file.trailer = Data([UInt8](frame) * 5000 + [0x3B])
        #expect(code(file.data) == .limitExceeded && infoCode(file.data) == .limitExceeded)
    }

    @Test func `each limit is enforced exactly`() {
        let file = GIFFile(
            width: 10,
            height: 8,
            frames: [.filled(1, width: 10, height: 8), .filled(2, width: 1, height: 1)]
        ).data
        #expect(code(file, DecodeLimits(maxPixelCount: 80, maxFrameCount: 2, maxFramePixelCount: 160)) == nil)
        #expect(code(file, DecodeLimits(maxPixelCount: 79)) == .limitExceeded)
        #expect(code(file, DecodeLimits(maxFrameCount: 1)) == .limitExceeded)
        #expect(code(file, DecodeLimits(maxFramePixelCount: 159)) == .limitExceeded)
        #expect(code(file, DecodeLimits(maxByteCount: file.count)) == nil)
        #expect(code(file, DecodeLimits(maxByteCount: file.count - 1)) == .limitExceeded)
    }

    @Test(arguments: [(0, 0), (0, 5), (5, 0)])
    func `a canvas without size is corrupt`(width: Int, height: Int) {
        let file = GIFFile(width: width, height: height, frames: [.filled(1, width: 0, height: 0)])
        #expect(code(file.data) == .corrupt)
    }

    // MARK: - Damage

    /// In process only: unrecognised data is not sent to workers.
    @Test func `invalid data is corrupt`() {
        #expect(code(Data("hello, this is no image".utf8), by: GIFDecoder()) == .corrupt)
    }

    @Test func `a file without frames is corrupt, and an empty one is empty`() {
        #expect(code(GIFFile(width: 1, height: 1, frames: []).data) == .corrupt)
        #expect(code(Data()) == .empty)
    }

    @Test func `a frame without any colour table is corrupt`() {
        var file = GIFFile(width: 1, height: 1, frames: [.filled(0, width: 1, height: 1)])
        file.palette = nil
        #expect(code(file.data) == .corrupt)
        file.frames[0].palette = [GIFFile.red]
        #expect(code(file.data) == nil)
    }

    @Test func `a pixel without a colour is corrupt unless it is transparent`() {
        var file = GIFFile(width: 2, height: 1, frames: [.init(width: 2, height: 1, indexes: [1, 4])])
        #expect(code(file.data) == .corrupt)
        file.frames[0].transparentIndex = 4
        #expect(code(file.data) == nil)
    }

    @Test func `codes that end early or are invalid are errors`() {
        let head = GIFFile(width: 2, height: 2, frames: []).data.dropLast()
        let descriptor = Data([0x2C, 0, 0, 0, 0, 2, 0, 2, 0, 0])
        func file(_ codes: [Int]) -> Data {
            head + descriptor + GIFFile.blocks(codes, codeSize: 2) + Data([0x3B])
        }
        #expect(code(file([4, 1, 1, 1, 1, 5])) == nil)
        // The end code is optional after the last pixel.
        #expect(code(file([4, 1, 1, 1, 1])) == nil)
        #expect(code(file([4, 1, 1, 5])) == .truncated)
        #expect([.truncated, .corrupt].contains(code(file([4, 1]))))
        #expect(code(file([4, 7, 7, 7, 7, 5])) == .corrupt)
        #expect([.truncated, .corrupt].contains(code(head + descriptor + Data([2, 0, 0x3B]))))
        #expect(code(head + descriptor + Data([9, 1, 0, 0, 0x3B])) == .corrupt)
        #expect(code(head + descriptor + Data([255, 1, 0, 0, 0x3B])) == .corrupt)
    }

    @Test func `an unknown block is corrupt`() {
        var file = GIFFile(width: 1, height: 1, frames: [.filled(1, width: 1, height: 1)])
        file.trailer = Data([0x55])
        #expect(code(file.data) == .corrupt)
    }

    /// A still, an animation with local colours, and an encoded photograph.
    static let files: [(name: String, data: Data)] = {
        do {
            let photograph = TestImages.photograph(PixelSize(width: 120, height: 80))
            return [
                ("still", try GIFEncoder().encode(photograph)),
                ("mixture", GIFAnimationTests.mixture(seed: 5).data),
                (
                    "transparent",
                    try GIFEncoder().encode(
                        TestImages.disc(PixelSize(width: 50, height: 40), color: .black)
                    )
                ),
            ]
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    static let samples: [DamageSample] = files.map { name, data in
        do {
            var sample = DamageSample(name, data)
            sample.spared = try frameEnds(of: data)
            sample.cutCodes = { count in
                [count == 0 ? .empty : count < 6 ? .unrecognizedFormat : .truncated]
            }
            return sample
        } catch {
            preconditionFailure("\(name): \(error)")
        }
    }

    /// A file that ends right after a frame looks like one without a trailer.
    private static func frameEnds(of file: Data) throws -> Set<Int> {
        var scanner = GIFScanner(limits: DecodeLimits())
        try scanner.scan(file.span)
        return Set(scanner.layout.frames.map(\.codes.upperBound))
    }

    @Test(arguments: samples)
    func `a file that is cut anywhere is an error for its own decoder`(sample: DamageSample) {
        for count in Damage.cuts(of: sample.data) where !sample.spared.contains(count) {
            // In process only for unrecognised data, which is not sent to workers.
            let gif: any ImageDecoder = count < 6 ? GIFDecoder() : GIFDecoder().tested
            let code = code(sample.data.prefix(count), by: gif)
            #expect(code == (count == 0 ? .empty : .truncated), "\(count) of \(sample.data.count) bytes")
            #expect(count < 1 || infoCode(sample.data.prefix(count), by: gif) == .truncated)
        }
    }
}

private func * (bytes: [UInt8], count: Int) -> [UInt8] {
    [UInt8](repeatElement(bytes, count: count).joined())
}
