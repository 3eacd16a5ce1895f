import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestTraits
import Testing

@Suite(.blocking, .enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"))
struct WebPCorpusTests {
    static let sound = SharedCorpus.files(format: .webP).filter { !$0.path.hasPrefix("malformed/") }
    static let damaged = SharedCorpus.files(format: .webP).filter { $0.path.hasPrefix("malformed/") }
    static let animated = sound.filter { $0.animated == true }

    /// As the manifest's references were made.
    static let plain = DecodeOptions(appliesOrientation: false, convertsToSRGB: false)

    @Test func `the corpus has files of each kind`() {
        #expect(Self.sound.count >= 14 && Self.damaged.count >= 5 && Self.animated.count >= 2)
    }

    @Test(arguments: sound)
    func `a sound file has the pixels of its reference`(file: CorpusFile) throws {
        let image = try CodecRegistry.standard.decode(file.bytes(), options: Self.plain)
        #expect(image.size == PixelSize(width: try #require(file.width), height: try #require(file.height)))
        try expectReference(file, image)
    }

    @Test(arguments: sound)
    func `the bytes one after another give the same pixels`(file: CorpusFile) throws {
        let data = try file.bytes()
        let decoder = try #require(
            CodecRegistry.standard.makeIncrementalDecoder(forHead: data.prefix(64), options: Self.plain)
        )
        for start in stride(from: 0, to: data.count, by: 331) {
            try decoder.append(data.dropFirst(start).prefix(331))
            _ = try decoder.preview()
        }
        #expect(
            try decoder.finish().hasBytes(of: CodecRegistry.standard.decode(data, options: Self.plain))
        )
    }

    @Test(arguments: sound)
    func `the chunks tell what the manifest tells`(file: CorpusFile) throws {
        let data = try file.bytes()
        let info = try CodecRegistry.standard.info(of: data)
        #expect(info.format == .webP)
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
        let image = try CodecRegistry.standard.decode(data)
        #expect(image.pixelFormat == info.pixelFormat && image.size == info.displaySize)
    }

    @Test(arguments: animated)
    func `each frame has the pixels of its reference`(file: CorpusFile) throws {
        let image = try CodecRegistry.standard.decode(file.bytes(), options: Self.plain)
        let animation = try #require(image.animation)
        let digests = try #require(file.animation?.frameRgba8Sha256)
        let delays = try #require(file.animation?.delaysMs)
        #expect(digests.count == animation.frameCount && digests.contains { $0 != nil })
        for (index, digest) in digests.enumerated() {
            #expect(animation.duration(ofFrameAt: index) == .milliseconds(Int(delays[index])))
            let frame = try animation.decodeFrame(at: index)
            if let digest { #expect(frame.digest == digest, "frame \(index)") }
        }
    }

    @Test(arguments: damaged)
    func `a damaged file has an outcome that is acceptable`(file: CorpusFile) throws {
        do {
            let image = try CodecRegistry.standard.decode(file.bytes(), options: Self.plain)
            #expect(file.acceptable.contains(.ok))
            try expectReference(file, image)
        } catch let error as DecodeError {
            #expect(file.acceptable.contains(.error), "\(error)")
            #expect(!error.detail.isEmpty)
            if file.expected == .truncated { #expect(error.code == .truncated) }
        }
    }

    @Test(arguments: SharedCorpus.photographs.filter { $0.pathExtension == "webp" })
    func `a photograph decodes whole, at a target and in pieces`(url: URL) throws {
        let data = try Data(contentsOf: url)
        let info = try CodecRegistry.standard.info(of: data)
        #expect(try CodecRegistry.standard.decode(data).size == info.displaySize)
        let options = DecodeOptions(target: .fit(PixelBox(width: 400, height: 400)))
        let small = try CodecRegistry.standard.decode(data, options: options)
        #expect(small.size == PixelBox(width: 400, height: 400).fitting(info.displaySize))
        let decoder = try #require(WebPDecoder().makeIncrementalDecoder(for: .webP, options: options))
        for start in stride(from: 0, to: data.count, by: 50_000) {
            try decoder.append(data.dropFirst(start).prefix(50_000))
        }
        #expect(try decoder.finish().hasBytes(of: small))
    }

    private func expectReference(_ file: CorpusFile, _ image: Image) throws {
        let reference = try #require(file.reference)
        let exact = [reference.rgba8Sha256] + (reference.candidates ?? [:]).values.map(\.rgba8Sha256)
        let digests = exact.compactMap { $0 }
        if !digests.isEmpty {
            #expect(digests.contains(image.digest))
            return
        }
        let grids = [reference.rgb16x16] + (reference.alternatives ?? [:]).values.map(\.rgb16x16)
        let tolerance = try #require(reference.tolerance)
        let own = PixelGrid(image)
        let differences = grids.compactMap { $0 }.map {
            own.difference(to: PixelGrid(values: $0.map(Double.init)))
        }
        let isNear = differences.contains { $0.mean <= tolerance.mean && $0.worst <= tolerance.cell }
        #expect(isNear, "differences \(differences)")
    }
}
