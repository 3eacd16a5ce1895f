import Calotype
import CalotypeTesting
import Foundation

/// A thousand distinct images of 20 kB each behind nginx.
final class Origin: Sendable {
    static let imageCount = 1_000

    /// The addresses of the images.
    let urls: [URL]

    private let folder = Result { try ScratchFolder() }
    private let server: NginxServer

    init() throws {
        let path = try folder.get().path
        for index in 0..<Self.imageCount {
            try Self.image(seed: UInt64(index)).write(to: URL(filePath: "\(path)/\(index).png"))
        }
        let server = try NginxServer(folder: path)
        urls = (0..<Self.imageCount).map { server.base.appending(path: "\($0).png") }
        self.server = server
    }

    /// A PNG of noise, which nothing makes smaller: 82 × 82 pixels of three bytes.
    private static func image(seed: UInt64) throws -> Data {
        var random = SeededGenerator(seed: seed)
        let size = PixelSize(width: 82, height: 82)
        let pixels = PixelBuffer(byteCount: size.pixelCount * 3) { bytes in
            for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: random.next()) }
        }
        return try PNGEncoder().encode(Image(size: size, pixelFormat: .rgb8, pixels: pixels))
    }
}
