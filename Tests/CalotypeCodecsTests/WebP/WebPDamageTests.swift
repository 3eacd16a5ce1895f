import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct WebPDamageTests {
    static let samples = WebPFiles.all.map { name, data in
        DamageSample(name, data) {
            $0.cutCodes = { count in [count == 0 ? .empty : count < 15 ? .unrecognizedFormat : .truncated] }
            $0.suffixes = [DamageSample.text, data]
            // Every other copy in the headers, which determine most.
            $0.altered = [nil, 0..<min(64, data.count)]
        }
    }

    private func code(_ data: Data, _ limits: DecodeLimits = DecodeLimits()) -> DecodeError.Code? {
        decodeError {
            try CodecRegistry.tested.decode(data, options: DecodeOptions(limits: limits)).allFrames()
        }?.code
    }

    @Test(arguments: WebPFiles.all)
    func `a truncated file with a matching header is an error`(name: String, data: Data) {
        for count in (1..<64).map({ max(20, data.count * $0 / 64) }) {
            let cut = Data("RIFF".utf8) + littleEndian(count - 8, 4) + data[8..<count]
            if name.hasPrefix("animated") {
                // The rest may be complete frames.
                if let code = code(cut) { #expect(code == .corrupt, "\(count) of \(data.count) bytes") }
            } else {
                #expect(code(cut) == .corrupt, "\(count) of \(data.count) bytes")
            }
        }
    }

    @Test(arguments: WebPFiles.stills)
    func `a bitstream that is cut within its chunk is an error`(name: String, data: Data) throws {
        for step in 1..<24 {
            var parts = WebPParts(data)
            let last = parts.chunks.count - 1
            let payload = parts.chunks[last].payload
            parts.chunks[last].payload = payload.prefix(payload.count * step / 24)
            #expect([.truncated, .corrupt].contains(code(parts.data)), "\(step) of 24")
        }
    }

    @Test(arguments: ["", "RIF", "RIFF", "hello", "RIFF....WEBX", "\0\0\0\0\0\0\0\0\0\0\0\0"])
    func `invalid data is an error for an explicit decoder`(text: String) {
        let error = decodeError { try WebPDecoder().decode(Data(text.utf8), options: DecodeOptions()) }
        #expect([.empty, .corrupt, .truncated].contains(error?.code))
        #expect(text.isEmpty == (error?.code == .empty))
    }

    // MARK: - Limits

    /// A lossless file of a few bytes with a claimed size.
    static func lossless(width: Int, height: Int) -> Data {
        var parts = WebPParts()
        let head = Data([0x2F]) + littleEndian(width - 1 | (height - 1) << 14, 4)
        parts.chunks.append(("VP8L", head + Data(repeating: 0, count: 9)))
        return parts.data
    }

    @Test func `a bomb of 34 bytes is refused before anything is allocated`() {
        let bomb = Self.lossless(width: 16383, height: 16383)
        #expect(bomb.count == 34)
        let targets = [DecodeOptions.Target.full, .fit(PixelBox(width: 10))]
        for target in targets {
            let error = decodeError {
                try WebPDecoder().tested.decode(bomb, options: DecodeOptions(target: target))
            }
            #expect(error?.code == .limitExceeded)
        }
        #expect(decodeError { try CodecRegistry.tested.info(of: bomb) }?.code == .limitExceeded)
    }

    @Test func `a canvas with an excessive size is refused`() throws {
        var parts = try WebPFiles.animation(isLossless: true)
        parts.chunks[0].payload = WebPParts.canvas(PixelSize(width: 1 << 24, height: 1 << 24), flags: 2)
        #expect(code(parts.data) == .limitExceeded)
    }

    @Test func `each limit is enforced exactly`() {
        for (name, file) in WebPFiles.stills {
            let pixelCount = WebPFiles.size.pixelCount
            #expect(code(file, DecodeLimits(maxPixelCount: pixelCount)) == nil, "\(name)")
            #expect(code(file, DecodeLimits(maxPixelCount: pixelCount - 1)) == .limitExceeded)
            #expect(code(file, DecodeLimits(maxByteCount: file.count)) == nil)
            #expect(code(file, DecodeLimits(maxByteCount: file.count - 1)) == .limitExceeded)
        }
    }

    @Test func `frames of an animation count against the limit`() {
        for (_, data) in WebPFiles.animations {
            let pixelCount = 6 * WebPFiles.size.pixelCount
            let enough = DecodeLimits(maxFrameCount: 6, maxFramePixelCount: pixelCount)
            #expect(code(data, enough) == nil)
            #expect(code(data, DecodeLimits(maxFrameCount: 5)) == .limitExceeded)
            #expect(code(data, DecodeLimits(maxFramePixelCount: pixelCount - 1)) == .limitExceeded)
            // The first frame of such a file is refused too: the limits apply to the file.
            let first = DecodeOptions(frames: .first, limits: DecodeLimits(maxFrameCount: 5))
            #expect(
                decodeError { try WebPDecoder().tested.decode(data, options: first) }?.code == .limitExceeded
            )
        }
    }

    @Test func `a file of empty chunks is refused`() {
        let body = Data("WEBP".utf8) + WebPParts.chunk("VP8X", WebPParts.canvas(WebPFiles.size, flags: 0))
        let empty = (0..<30_000).reduce(into: Data()) { data, _ in data += WebPParts.chunk("abcd", Data()) }
        let file = Data("RIFF".utf8) + littleEndian(body.count + empty.count, 4) + body + empty
        #expect(code(file) == .limitExceeded)
    }
}
