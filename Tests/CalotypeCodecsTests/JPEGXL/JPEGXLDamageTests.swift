import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestTraits
import Testing
import WorkerSupport

/// Truncated or altered JPEG XL.
@Suite(.blocking, .inBothModes) struct JPEGXLDamageTests {
    static let files: [(name: String, data: Data)] = {
        let size = PixelSize(width: 90, height: 60)
        let files: [(String, JPEGXLEncoder, Image)] = [
            ("lossy", JPEGXLEncoder(effort: 3), TestPictures.photograph(size)),
            ("lossy with alpha", JPEGXLEncoder(effort: 5), TestPictures.photograph(size, format: .rgba8)),
            ("lossless gray", JPEGXLEncoder(isLossless: true), TestPictures.photograph(size, format: .gray8)),
            ("animation", JPEGXLEncoder(effort: 3), TestPictures.jxlAnimation(frameCount: 3)),
        ]
        let encoded = files.map { name, encoder, image in
            do {
                return (name, try encoder.encode(image))
            } catch {
                preconditionFailure("\(name): \(error)")
            }
        }
        return encoded + [("container", JPEGXLFixtures.sixteenBits), ("layers", JPEGXLFixtures.layers)]
    }()

    private func error(_ data: Data) -> DecodeError? {
        decodeError { try CodecRegistry.tested.decode(data).decodedWithAllFrames() }
    }

    @Test(arguments: files)
    func `a file that is cut anywhere is an error`(name: String, data: Data) {
        let cuts = (0..<64).map { data.count * $0 / 64 } + (1...8).map { data.count - $0 }
        for count in cuts {
            let error = error(data.prefix(count))
            let isExpected = [.empty, .unrecognizedFormat, .truncated, .corrupt].contains(error?.code)
            #expect(isExpected, "\(count) of \(data.count) bytes: \(String(describing: error))")
        }
    }

    @Test(arguments: files)
    func `a file cut within its pixels fails as truncated`(name: String, data: Data) {
        for count in [data.count / 2, data.count * 3 / 4, data.count - 1] {
            #expect(error(data.prefix(count))?.code == .truncated, "\(count) of \(data.count)")
        }
    }

    @Test(arguments: files)
    func `bytes after the end are harmless`(name: String, data: Data) throws {
        let whole = try CodecRegistry.tested.decode(data)
        let longer = try CodecRegistry.tested.decode(data + Data("PK and so on".utf8))
        #expect(whole.bytes == longer.bytes)
    }

    @Test(arguments: files)
    func `flipped bits give an error or an image of the size that the header claims`(name: String, data: Data)
    {
        var random = SeededGenerator(seed: 7)
        // A flipped bit in the size must stay cheap.
        let limits = DecodeLimits(pixelCountMax: 200_000, frameCountMax: 100, framePixelCountMax: 2_000_000)
        for round in 0..<200 {
            var bytes = [UInt8](data)
            for _ in 0...round % 3 {
                let bit = Int.random(in: 0..<bytes.count * 8, using: &random)
                bytes[bit / 8] ^= 1 << (bit % 8)
            }
            let damaged = Data(bytes)
            do {
                let image = try CodecRegistry.tested.decode(damaged, options: DecodeOptions(limits: limits))
                let info = try CodecRegistry.tested.info(of: damaged, limits: limits)
                #expect(image.size == info.displaySize, "seed 7, round \(round)")
                try image.decodedWithAllFrames()
            } catch let error as DecodeError {
                #expect(!error.detail.isEmpty, "seed 7, round \(round)")
            } catch {
                Issue.record("seed 7, round \(round): \(error)")
            }
        }
    }

    @Test(arguments: ["hello", "\0\0\0\0\0\0\0\0\0\0\0\0"])
    func `invalid data is an error for an explicit decoder`(text: String) {
        let error = decodeError {
            try JPEGXLDecoder().decode(Data(text.utf8), options: DecodeOptions())
        }
        #expect([.corrupt, .truncated].contains(error?.code))
        let empty = decodeError { try JPEGXLDecoder().tested.decode(Data(), options: DecodeOptions()) }
        #expect(empty?.code == .empty)
    }
}

extension Image {
    /// Returns the image after decoding all of its frames.
    @discardableResult
    func decodedWithAllFrames() throws -> Image {
        for index in 0..<(animation?.frameCount ?? 0) { _ = try animation?.decodeFrame(at: index) }
        return self
    }
}
