import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import Testing

/// What the corpus asks of both formats of HEIF: sizes and orientations are those after the file's own
/// transformations.
enum HEIFCorpus {
    static let plain = DecodeOptions(convertsToSRGB: false)

    static func expectReference(_ file: CorpusFile) throws {
        let image = try CodecRegistry.standard.decode(file.bytes(), options: plain)
        #expect(image.size.width == file.displayWidth && image.size.height == file.displayHeight)
        let reference = try #require(file.reference)
        let tolerance = try #require(reference.tolerance)
        let shown = reference.rgb16x16Display ?? reference.rgb16x16
        let grids = [shown] + (reference.alternatives ?? [:]).values.map(\.rgb16x16)
        let own = PixelGrid(image)
        let differences = grids.compactMap { $0 }.map {
            own.difference(to: PixelGrid(values: $0.map(Double.init)))
        }
        let isNear = differences.contains { $0.mean <= tolerance.mean && $0.worst <= tolerance.cell }
        #expect(isNear, "differences \(differences)")
    }

    static func expectHeader(_ file: CorpusFile) throws {
        let data = try file.bytes()
        let info = try CodecRegistry.standard.info(of: data)
        #expect(info.format.rawValue == file.format)
        #expect(info.size.width == file.displayWidth && info.size.height == file.displayHeight)
        #expect(info.orientation == .up && info.displaySize == info.size)
        #expect(info.frameCount == file.frames)
        #expect(info.hasAlpha == file.alpha)
        let image = try CodecRegistry.standard.decode(data)
        #expect(image.pixelFormat == info.pixelFormat && image.size == info.size)
        #expect(image.metadata.hasColorProfile == info.hasColorProfile)
    }

    static func expectAcceptable(_ file: CorpusFile) throws {
        do {
            _ = try CodecRegistry.standard.decode(file.bytes(), options: plain)
            #expect(file.acceptable.contains(.ok))
        } catch let error as DecodeError {
            #expect(file.acceptable.contains(.error), "\(error)")
            #expect(!error.detail.isEmpty)
        }
    }
}
