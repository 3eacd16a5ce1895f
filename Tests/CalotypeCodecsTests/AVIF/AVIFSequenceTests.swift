import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct AVIFSequenceTests {
    static let size = PixelSize(width: 34, height: 22)

    static func frames(_ count: Int, _ format: PixelFormat = .rgb8) -> StillFrames {
        StillFrames(
            (0..<count).map { TestImages.photograph(size, format: format, seed: UInt64($0 + 1)) },
            durations: (0..<count).map { .milliseconds(20 + 10 * $0) }
        )
    }

    @Test(arguments: PixelFormat.eightBitFormats)
    func `an animation round-trips with its durations`(format: PixelFormat) throws {
        let frames = Self.frames(6, format)
        let file = try AVIFEncoder(isLossless: true, speed: 9).tested.encode(frames.image)
        let image = try CodecRegistry.tested.decode(file)
        let animation = try #require(image.animation)
        #expect(animation.frameCount == 6 && animation.loopCount == .infinite)
        for index in 0..<6 {
            let frame = try animation.decodeFrame(at: index)
            #expect(frame.pixelFormat == format)
            #expect(frame.bytes == frames.images[index].bytes, "frame \(index)")
            #expect(animation.duration(ofFrameAt: index) == frames.durations[index])
        }
        let info = try CodecRegistry.tested.info(of: file)
        #expect(info.frameCount == 6 && info.loopCount == .infinite)
        #expect(info.animationDuration == .milliseconds(270))
        #expect(info.hasAlpha == (format == .rgba8))
    }

    @Test(arguments: [6, 9])
    func `the alpha of a lossy animation is near that of its frames`(speed: Int) throws {
        let frames = Self.frames(6, .rgba8)
        let file = try AVIFEncoder(quality: 95, speed: speed).tested.encode(frames.image)
        let animation = try #require(try CodecRegistry.tested.decode(file).animation)
        for index in 0..<6 {
            let (back, wanted) = (try animation.decodeFrame(at: index).bytes, frames.images[index].bytes)
            let differences = stride(from: 3, to: back.count, by: 4).map {
                abs(Int(back[$0]) - Int(wanted[$0]))
            }
            #expect(differences.reduce(0, +) < 4 * differences.count, "frame \(index)")
            #expect(differences.max() ?? 0 < 60, "frame \(index): \(differences.max() ?? 0)")
        }
    }

    @Test func `frames decoded out of order equal frames decoded in order`() throws {
        let file = try AVIFEncoder(quality: 40, speed: 10).tested.encode(Self.frames(65).image)
        func animation() throws -> Animation {
            let image = try CodecRegistry.tested.decode(file)
            return try #require(image.animation)
        }
        let inOrder = try animation()
        let expected = try (0..<65).map { try inOrder.decodeFrame(at: $0).bytes }
        let jumping = try animation()
        for index in [64, 3, 31, 30, 29, 60, 0, 12, 64, 1] {
            #expect(try jumping.decodeFrame(at: index).bytes == expected[index], "frame \(index)")
        }
    }

    @Test func `the first frame alone is a still`() throws {
        let file = try AVIFEncoder(isLossless: true).tested.encode(Self.frames(3).image)
        let image = try CodecRegistry.tested.decode(file, options: DecodeOptions(frames: .first))
        #expect(image.animation == nil)
        #expect(image.bytes == Self.frames(3).images[0].bytes)
        let still = try AVIFEncoder(options: EncodeOptions(frames: .first)).tested.encode(
            Self.frames(3).image
        )
        #expect(try CodecRegistry.tested.info(of: still).frameCount == 1)
    }

    @Test func `frames are resized to the target of the decode`() throws {
        let file = try AVIFEncoder(speed: 9).tested.encode(Self.frames(3).image)
        let options = DecodeOptions(target: .fit(PixelBox(width: 17)))
        let image = try CodecRegistry.tested.decode(file, options: options)
        #expect(image.size == PixelSize(width: 17, height: 11))
        #expect(try #require(image.animation).decodeFrame(at: 2).size == image.size)
    }

    @Test func `frames count against the limit`() throws {
        let file = try AVIFEncoder(speed: 10).tested.encode(Self.frames(5).image)
        func code(_ limits: DecodeLimits) -> DecodeError.Code? {
            decodeError { try CodecRegistry.tested.info(of: file, limits: limits) }?.code
        }
        let pixels = Self.size.pixelCount
        #expect(code(DecodeLimits(maxFrameCount: 5, maxFramePixelCount: 5 * pixels)) == nil)
        #expect(code(DecodeLimits(maxFrameCount: 4)) == .limitExceeded)
        #expect(code(DecodeLimits(maxFramePixelCount: 5 * pixels - 1)) == .limitExceeded)
    }

    @Test(arguments: ["stts", "stsc", "stsz"])
    func `a table with more entries than allowed frames is refused`(table: String) throws {
        var file = try AVIFEncoder(speed: 10).tested.encode(Self.frames(3).image)
        let place = try #require(file.indices.first { file[$0...].starts(with: Data(table.utf8)) })
        let count = place + (table == "stsz" ? 12 : 8)
        file.replaceSubrange(count..<count + 4, with: bigEndian32(10_001))
        #expect(decodeError { try CodecRegistry.tested.decode(file) }?.code == .limitExceeded)
    }

    @Test func `frames larger than the stated size are corrupt`() throws {
        var file = try AVIFEncoder(speed: 9).tested.encode(Self.frames(4).image)
        let header = try #require(file.firstRange(of: Data("tkhd".utf8)))
        let isLong = file[header.upperBound] == 1
        let place = header.upperBound + (isLong ? 88 : 76)
        let sides = [Self.size.width, Self.size.height].map { bigEndian32($0 << 16) }
        #expect(file[place..<place + 8] == sides[0] + sides[1])
        file.replaceSubrange(place..<place + 8, with: bigEndian32(17 << 16) + bigEndian32(11 << 16))
        let (info, damaged) = (try AVIFDecoder().tested.info(of: file, limits: DecodeLimits()), file)
        #expect(info.size == PixelSize(width: 17, height: 11))
        #expect(
            decodeError { try AVIFDecoder().tested.decode(damaged, options: DecodeOptions()) }?.code
                == .corrupt
        )
    }
}
