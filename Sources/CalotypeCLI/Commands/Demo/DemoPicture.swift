import CalotypeCodecs
import CalotypeCore
import CalotypeSupport
import Foundation

/// An image that the demo generates.
struct DemoPicture: Hashable, Sendable {
    /// The kind of content.
    enum Kind: Hashable, Sendable {
        /// A landscape, as JPEG.
        case photograph
        /// Flat shapes, as PNG.
        case poster
        /// Flat shapes with transparent parts, as PNG.
        case sticker
    }

    let kind: Kind
    let size: PixelSize
    let seed: UInt64

    /// The path on the origin.
    var path: String {
        let name = "\(kind)-\(seed)-\(size.width)x\(size.height)"
        return "/\(name).\(kind == .photograph ? "jpg" : "png")"
    }

    /// The encoded format.
    var format: ImageFormat { kind == .photograph ? .jpeg : .png }

    /// Draws and encodes the image; the bytes are the same in every run of one build.
    ///
    /// - Throws: ``CalotypeCodecs/EncodeError``.
    func encoded() throws(EncodeError) -> Data {
        switch kind {
        case .photograph: try JPEGEncoder(quality: 88).encode(Landscape(size: size, seed: seed).image())
        case .poster: try PNGEncoder().encode(Poster(size: size, seed: seed, isTranslucent: false).image())
        case .sticker: try PNGEncoder().encode(Poster(size: size, seed: seed, isTranslucent: true).image())
        }
    }

    /// The pictures of the demo: 24 of them, from 0.1 to 12 million pixels.
    static let all: [DemoPicture] = {
        let sizes: [(Kind, Int, Int, count: Int)] = [
            (.photograph, 4000, 3000, 2), (.photograph, 3000, 4000, 1), (.photograph, 3000, 2000, 3),
            (.photograph, 1920, 1280, 4), (.photograph, 1024, 768, 4), (.photograph, 640, 640, 2),
            (.poster, 1600, 1200, 2), (.poster, 800, 600, 2), (.sticker, 1200, 900, 1),
            (.sticker, 512, 512, 2),
            (.sticker, 320, 240, 1),
        ]
        let plan = sizes.flatMap { entry in
            Array(repeating: (entry.0, PixelSize(width: entry.1, height: entry.2)), count: entry.count)
        }
        return plan.enumerated().map { DemoPicture(kind: $1.0, size: $1.1, seed: UInt64($0 + 1)) }
    }()

    /// Draws and encodes pictures on all cores.
    ///
    /// - Throws: ``CalotypeCodecs/EncodeError``, or `CancellationError`.
    static func encode(_ pictures: [DemoPicture]) async throws -> [Data] {
        let pool = BlockingPool(width: BlockingPool.coreCount)
        var result: [Data] = []
        try await OrderedWork.run(pictures, concurrencyMax: pool.width) { picture in
            try await pool.run { () throws(EncodeError) in try picture.encoded() }
        } deliver: {
            result.append($0)
        }
        return result
    }
}
