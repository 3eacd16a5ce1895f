import CalotypeCodecs
import CalotypeCore
import CalotypeSupport
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing
import WorkerSupport

/// Every file of the corpus matches its manifest.
@Suite(.blocking, .inBothModes, .enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"))
struct CorpusTests {
    static let decodable = SharedCorpus.files.filter { $0.format != ImageFormat.svg.rawValue }
    static let sound = decodable.filter { $0.expected == .ok }
    static let damaged = decodable.filter { $0.expected != .ok }
    static let animated = sound.filter { $0.animated == true && $0.frames ?? 1 > 1 }

    /// The options of the manifest's references.
    static let plain = DecodeOptions(appliesOrientation: false, convertsToSRGB: false)

    private let codecs = CodecRegistry.tested

    @Test func `the corpus has files of each supported format`() {
        let formats = Set(Self.sound.map(\.format))
        #expect(formats == Set(ImageFormat.recognized.map(\.rawValue)).subtracting(["svg"]))
        #expect(Self.damaged.count >= 30 && Self.animated.count >= 10)
    }

    @Test(arguments: sound)
    func `an intact file has the pixels of its reference`(file: CorpusFile) throws {
        try allowingOptionalFeature(file) {
            let image = try codecs.decode(file.bytes(), options: Self.plain)
            #expect(image.size == (try file.statedSize))
            try expectReference(file, image)
        }
    }

    @Test(arguments: sound.filter { $0.reference?.rgb16x16Display != nil })
    func `an orientation is applied as the reference shows`(file: CorpusFile) throws {
        let image = try codecs.decode(file.bytes(), options: DecodeOptions(convertsToSRGB: false))
        #expect(image.size.width == file.displayWidth && image.size.height == file.displayHeight)
        let tolerance = file.isHEIF ? file.reference?.tolerance : nil
        try expectNear(
            image,
            anyOf: [file.reference?.rgb16x16Display],
            mean: tolerance?.mean ?? 2,
            cell: tolerance?.cell ?? 4
        )
    }

    @Test(arguments: sound)
    func `the header matches the manifest`(file: CorpusFile) throws {
        try allowingOptionalFeature(file) {
            let info = try codecs.info(of: file.bytes())
            #expect(info.format.rawValue == file.format)
            #expect(info.size == (try file.statedSize))
            #expect(info.displaySize.width == file.displayWidth)
            #expect(info.displaySize.height == file.displayHeight)
            #expect(info.orientation.rawValue == (file.isHEIF ? 1 : file.orientation ?? 1))
            #expect(info.frameCount == file.frames)
            #expect(info.hasAlpha == file.alpha)
            if let hasProfile = file.icc { #expect(info.hasColorProfile == hasProfile) }
        }
    }

    @Test(arguments: sound)
    func `a decoded image matches its header`(file: CorpusFile) throws {
        try allowingOptionalFeature(file) {
            let data = try file.bytes()
            let info = try codecs.info(of: data)
            let image = try codecs.decode(data)
            #expect(image.pixelFormat == info.pixelFormat)
            #expect(image.size == info.displaySize)
            #expect(image.metadata.hasColorProfile == info.hasColorProfile)
            #expect((image.animation?.frameCount ?? 1) == info.frameCount)
        }
    }

    @Test(arguments: sound.filter { $0.bitDepth ?? 8 > 8 && $0.animated != true })
    func `more than 8 bits are retained on request, and round to the ordinary pixels`(
        file: CorpusFile
    ) throws {
        var stored = Self.plain
        stored.keepsDepth = true
        let deep = try codecs.decode(file.bytes(), options: stored)
        let ordinary = try codecs.decode(file.bytes(), options: Self.plain)
        #expect(deep.pixelFormat == .rgba16 && deep.size == ordinary.size)
        let holdsMore = deep.channels.contains { $0 != ($0 >> 8) * 257 }
        #expect(holdsMore, "every level is one of 8 bits")
        let differences = zip(deep.rgba8(), ordinary.rgba8()).map { abs(Int($0) - Int($1)) }
        // A conversion from Y'CbCr rounds differently.
        #expect(differences.max() ?? 0 <= (file.isHEIF ? 2 : 1))
    }

    @Test(arguments: damaged)
    func `a damaged file has an acceptable outcome`(file: CorpusFile) throws {
        do {
            let image = try codecs.decode(file.bytes(), options: Self.plain)
            for index in 0..<(image.animation?.frameCount ?? 0) {
                _ = try image.animation?.decodeFrame(at: index)
            }
            #expect(file.acceptable.contains(.ok))
            if file.reference != nil { try expectReference(file, image) }
        } catch let error as DecodeError {
            #expect(file.acceptable.contains(.error), "\(error)")
            #expect(!error.detail.isEmpty)
            if file.path.hasSuffix("Bad_reallybig.bmp") { #expect(error.code == .limitExceeded) }
            if file.format == ImageFormat.webP.rawValue, file.expected == .truncated {
                #expect(error.code == .truncated)
            }
        }
    }

    @Test(arguments: SharedCorpus.files(format: .svg))
    func `SVG is refused as an unsupported feature`(file: CorpusFile) throws {
        let data = try file.bytes()
        // In workers it is rasterised.
        #expect(decodeError { try CodecRegistry.standard.decode(data) }?.code == .unsupportedFeature)
    }

    /// Allows a clean refusal of rare features.
    private func allowingOptionalFeature(_ file: CorpusFile, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as DecodeError {
            #expect(file.optionalFeature == true && error.code == .unsupportedFeature, "\(error)")
        }
    }

    private func expectReference(_ file: CorpusFile, _ image: Image) throws {
        let reference = try #require(file.reference)
        let candidates = (reference.candidates ?? [:]).values.map(\.rgba8Sha256)
        let digests = ([reference.rgba8Sha256, reference.rgba8RoundedSha256] + candidates).compactMap { $0 }
        guard digests.isEmpty else {
            #expect(digests.contains(image.digest))
            return
        }
        let own = file.isHEIF ? reference.rgb16x16Display ?? reference.rgb16x16 : reference.rgb16x16
        let grids = [own] + (reference.alternatives ?? [:]).values.map(\.rgb16x16)
        let tolerance = try #require(reference.tolerance)
        try expectNear(image, anyOf: grids, mean: tolerance.mean, cell: tolerance.cell)
    }

    private func expectNear(_ image: Image, anyOf grids: [Data?], mean: Double, cell: Double) throws {
        let own = PixelGrid(image)
        let differences = grids.compactMap { $0 }.map {
            own.difference(to: PixelGrid(values: $0.map(Double.init)))
        }
        let isNear = differences.contains { $0.mean <= mean && $0.worst <= cell }
        #expect(isNear, "differences \(differences)")
    }
}

extension CorpusFile {
    /// Whether the file's own transformations apply to its size and pixels.
    var isHEIF: Bool { format == ImageFormat.heic.rawValue || format == ImageFormat.avif.rawValue }

    /// The size in the header, and of a decode without orientation.
    var statedSize: PixelSize {
        get throws {
            PixelSize(
                width: try #require(isHEIF ? displayWidth : width),
                height: try #require(isHEIF ? displayHeight : height)
            )
        }
    }
}

extension Image {
    /// SHA-256 of the RGBA rows with all transparent pixels zeroed, in lower-case hexadecimal.
    var digest: String {
        var rgba = [UInt8](rgba8())
        for pixel in stride(from: 0, to: rgba.count, by: 4) where rgba[pixel + 3] == 0 {
            rgba.replaceSubrange(pixel..<pixel + 4, with: repeatElement(0, count: 4))
        }
        var digest = MessageDigest.sha256()
        digest.update(rgba.span)
        return digest.finalize().hexadecimalDigits
    }
}
