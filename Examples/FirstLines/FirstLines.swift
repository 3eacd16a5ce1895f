// The first lines that people write, as short as possible; runs without a network: `swift run FirstLines`.

import Calotype
import Foundation

@main
struct FirstLines {
    static func main() async throws {
        let pipeline = try service()
        let thumbnail = try await upload(picture(), through: pipeline)
        print("an upload became \(thumbnail.count) bytes of WebP")
        do {
            _ = try await picture("no URL", through: pipeline)
        } catch let error as LoadError where error.code == .invalidURL {
            print(error.localizedDescription)
        }
        try await pipeline.removeAll()
    }

    /// An image, from a URL, a literal, a literal with values in it, and text from elsewhere.
    static func images(_ url: URL, _ number: Int, _ text: String) async throws -> [Image] {
        let pipeline = ImagePipeline.shared
        return [
            try await pipeline.image(for: url),
            try await pipeline.image(for: "https://example.org/cat.jpeg"),
            try await pipeline.image(for: "https://example.org/\(number).jpeg"),
            try await pipeline.image(for: ImageRequest(text)),
        ]
    }

    /// A pipeline of one's own, with a disk cache that has a limit and an age.
    static func service() throws -> ImagePipeline {
        let disk = try DiskCache(namespace: "first-lines", sizeLimit: 200 << 20, expiry: .days(30))
        return ImagePipeline(cache: ImageCache(disk: disk), loader: RoutingLoader.publicWeb())
    }

    /// A thumbnail for a browser: sized, transformed, encoded, with its media type.
    static func thumbnail(of url: URL, quality: Int) async throws -> (body: Data, type: String) {
        var request = ImageRequest(url)
        request.headers["Authorization"] = "Bearer …"
        request.decoding.target = .fit(width: 320)
        request.encoding = .webP(quality: quality)
        let encoded = try await ImagePipeline.shared.data(for: request)
        return (encoded.data, encoded.info.format.mediaType)
    }

    /// The same by a transform, and in the format of the original.
    static func small(_ url: URL) async throws -> Data {
        var request = ImageRequest(url)
        request.transforms = .resize(width: 320)
        return try await ImagePipeline.shared.data(for: request).data
    }

    /// Everything that is kept of a picture goes, or everything of a folder.
    static func forget(_ url: URL, in pipeline: ImagePipeline) async throws {
        try await pipeline.remove(ImageRequest(url))
        try await pipeline.removeAll { $0.sourceAddress.hasPrefix("https://example.org/avatars/") }
    }

    /// A file of the program's own.
    static func file(_ path: String) async throws -> Image {
        try await ImagePipeline.shared.image(for: ImageRequest(filePath: path))
    }

    /// The parts of an error for a visitor, for a log, and for a caller that may retry.
    static func response(to error: LoadError) -> (status: Int, log: String, isWorthATry: Bool) {
        (error.httpStatus ?? (error.fault == .caller ? 400 : 502), "\(error)", error.isRetryable)
    }

    /// Bytes at hand.
    static func upload(_ data: Data, through pipeline: ImagePipeline) async throws -> Data {
        let image = try await pipeline.image(from: data, decoding: DecodeOptions(target: .fit(width: 320)))
        return try await pipeline.encode(image, as: .webP(quality: 80))
    }

    static func picture(_ text: String, through pipeline: ImagePipeline) async throws -> Image {
        try await pipeline.image(for: "\(text)")
    }

    private static func picture() throws -> Data {
        let size = PixelSize(width: 640, height: 480)
        let pixels = try PixelBuffer(byteCount: size.pixelCount) { bytes throws(EncodeError) in
            for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index / 7) }
        }
        return try JPEGEncoder().encode(Image(size: size, pixelFormat: .gray8, pixels: pixels))
    }
}

/// A view on the main actor.
@MainActor
final class Thumbnail: @MainActor ImageTarget {
    private let slot = ImageSlot()
    private(set) var shown: Image?

    func show(_ url: URL) {
        slot.load(ImageRequest(url), into: self)
    }

    func show(_ content: SlotContent, in slot: ImageSlot) {
        shown = content.image
    }
}
