import Calotype
import Foundation

/// A picture that the demo draws.
struct DemoImage: Sendable {
    /// The kind of content.
    enum Kind: Sendable {
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

    /// The file name.
    var name: String {
        "\(kind)-\(seed)-\(size.width)x\(size.height).\(kind == .photograph ? "jpg" : "png")"
    }

    /// Draws and encodes the picture; the bytes are the same in every run of one build.
    func encoded() throws -> Data {
        switch kind {
        case .photograph: try JPEGEncoder(quality: 88).encode(Landscape(size: size, seed: seed).image())
        case .poster: try PNGEncoder().encode(Poster(size: size, seed: seed, isTranslucent: false).image())
        case .sticker: try PNGEncoder().encode(Poster(size: size, seed: seed, isTranslucent: true).image())
        }
    }

    /// The pictures of the demo: 24 of them, from 0.1 to 12 million pixels.
    static let all: [DemoImage] = {
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
        return plan.enumerated().map { DemoImage(kind: $1.0, size: $1.1, seed: UInt64($0 + 1)) }
    }()

    /// Draws and encodes all pictures on all cores, and prints how long that took.
    static func drawAll() async throws -> [(name: String, data: Data)] {
        let start = ContinuousClock.now
        var drawn = try await withThrowingTaskGroup(of: (seed: UInt64, name: String, data: Data).self) {
            group in
            for picture in all {
                group.addTask { (picture.seed, picture.name, try picture.encoded()) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        drawn.sort { $0.seed < $1.seed }
        let elapsed = (ContinuousClock.now - start) / .seconds(1)
        let size = megabytes(drawn.reduce(0) { $0 + $1.data.count })
        print("\(drawn.count) pictures, \(size), drawn and encoded in \(String(format: "%.1f", elapsed)) s")
        return drawn.map { ($0.name, $0.data) }
    }
}

func megabytes(_ byteCount: Int) -> String {
    String(format: "%.1f MB", Double(byteCount) / 1_000_000)
}
