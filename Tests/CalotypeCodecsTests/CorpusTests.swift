import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import Crypto
import FoundationEssentials
import TestTraits
import Testing

@Suite(.blocking, .enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"))
struct CorpusTests {
    static let decodable = SharedCorpus.files(format: .png) + SharedCorpus.files(format: .jpeg)
    static let sound = decodable.filter { $0.expected == .ok }
    static let damaged = decodable.filter { $0.expected != .ok }

    /// As the manifest's references were made.
    static let plain = DecodeOptions(appliesOrientation: false, convertsToSRGB: false)

    @Test(arguments: sound)
    func `a sound file has the pixels of its reference`(file: CorpusFile) throws {
        let image = try CodecRegistry.standard.decode(file.bytes(), options: Self.plain)
        #expect(image.size == PixelSize(width: try #require(file.width), height: try #require(file.height)))
        let reference = try #require(file.reference)
        if let exact = reference.rgba8Sha256 {
            #expect([exact, reference.rgba8RoundedSha256].contains(image.digest))
        } else {
            let grids = [reference.rgb16x16] + (reference.alternatives ?? [:]).values.map(\.rgb16x16)
            let tolerance = try #require(reference.tolerance)
            expectNear(image, anyOf: grids, mean: tolerance.mean, cell: tolerance.cell)
        }
    }

    @Test(arguments: sound.filter { $0.reference?.rgb16x16Display != nil })
    func `an orientation is applied as the reference shows`(file: CorpusFile) throws {
        let image = try CodecRegistry.standard.decode(
            file.bytes(),
            options: DecodeOptions(convertsToSRGB: false)
        )
        #expect(image.size.width == file.displayWidth && image.size.height == file.displayHeight)
        expectNear(image, anyOf: [file.reference?.rgb16x16Display], mean: 2, cell: 4)
    }

    @Test(arguments: sound)
    func `the header tells what the manifest tells`(file: CorpusFile) throws {
        let info = try CodecRegistry.standard.info(of: file.bytes())
        #expect(info.format.rawValue == file.format)
        #expect(info.size.width == file.width && info.size.height == file.height)
        #expect(info.displaySize.width == file.displayWidth && info.displaySize.height == file.displayHeight)
        #expect(info.orientation.rawValue == file.orientation ?? 1)
        #expect(info.frameCount == file.frames)
        #expect(info.hasAlpha == file.alpha)
        #expect(info.hasColorProfile == file.icc)
        if let animation = file.animation, let delays = animation.delaysMs, let plays = animation.loopCountRaw
        {
            #expect(info.loopCount == (plays == 0 ? .infinite : .times(plays)))
            #expect(info.animationDuration == .milliseconds(Int(delays.reduce(0, +))))
        }
    }

    @Test(arguments: sound)
    func `a decode gives the pixel format that the header names`(file: CorpusFile) throws {
        let data = try file.bytes()
        let image = try CodecRegistry.standard.decode(data)
        #expect(image.pixelFormat == (try CodecRegistry.standard.info(of: data).pixelFormat))
        #expect(image.size == (try CodecRegistry.standard.info(of: data).displaySize))
    }

    @Test(arguments: damaged)
    func `a damaged file has an outcome that is acceptable`(file: CorpusFile) throws {
        do {
            let image = try CodecRegistry.standard.decode(file.bytes(), options: Self.plain)
            #expect(file.acceptable.contains(.ok))
            if let exact = file.reference?.rgba8Sha256 { #expect(image.digest == exact) }
        } catch let error as DecodeError {
            #expect(file.acceptable.contains(.error), "\(error)")
            #expect(!error.detail.isEmpty)
        }
    }

    private func expectNear(_ image: Image, anyOf grids: [Data?], mean: Double, cell: Double) {
        let own = PixelGrid(image)
        let differences = grids.compactMap { $0 }.map {
            own.difference(to: PixelGrid(values: $0.map(Double.init)))
        }
        let isNear = differences.contains { $0.mean <= mean && $0.worst <= cell }
        #expect(isNear, "differences \(differences)")
    }
}

extension Image {
    /// SHA-256 of the RGBA rows in which each pixel of alpha 0 is all zero, in lower-case hexadecimal.
    var digest: String {
        var rgba = [UInt8](rgba8())
        for pixel in stride(from: 0, to: rgba.count, by: 4) where rgba[pixel + 3] == 0 {
            rgba.replaceSubrange(pixel..<pixel + 4, with: repeatElement(0, count: 4))
        }
        return SHA256.hash(data: rgba).map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0" + text : text
        }.joined()
    }
}
