public import CalotypeCodecs
public import CalotypeCore
import CalotypeSupport
public import FoundationEssentials

/// A codec that does the deed named in its files, like an exploited codec: `HOSTILE open`.
///
/// The word may follow the signature of another format. A deed after `later ` is done by the decode, not when
/// the header is read.
public struct HostileDecoder: ImageDecoder {
    /// The format, which no other codec recognises.
    public static let format = ImageFormat(rawValue: "hostile")

    private static let word = Data("HOSTILE ".utf8)
    private static let later = "later "

    private let format: ImageFormat

    /// Creates the decoder; it can replace another format, to take over a worker of that kind.
    public init(format: ImageFormat = Self.format) { self.format = format }

    /// The single format.
    public var formats: [ImageFormat] { [format] }

    /// Recognises a file by its first word.
    public func recognizes(_ data: Data) -> ImageFormat? {
        data.starts(with: Self.word) ? format : nil
    }

    /// Does the deed.
    ///
    /// - Throws: `DecodeError` if memory is exhausted.
    public func info(of data: Data, limits: DecodeLimits) throws(DecodeError) -> ImageInfo {
        if !Self.words(of: data).hasPrefix(Self.later) {
            _ = try decode(data, options: DecodeOptions())
        }
        return ImageInfo(format: format, size: PixelSize(width: 4, height: 4), pixelFormat: .rgb8)
    }

    /// Does the deed.
    ///
    /// - Throws: `DecodeError` if memory is exhausted.
    public func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        let words = Self.words(of: data)
        let word = words.hasPrefix(Self.later) ? String(words.dropFirst(Self.later.count)) : words
        if let deed = Deed(rawValue: word) { deed.run() }
        if let lie = Lie(rawValue: word) { lie.tell() }
        return try Self.extremes(of: word, try picture(of: word))
    }

    /// An unusual but valid image: its profile, its scale, or its frame durations are extreme.
    private static func extremes(of word: String, _ image: Image) throws(DecodeError) -> Image {
        switch word {
        case "profile":
            let profile = Data(repeating: 1, count: (16 << 20) + 1)
            return image.replacing(animation: nil, metadata: ImageMetadata(colorSpace: .icc(profile)))
        case "small": return image.replacing(animation: nil, scale: .leastNonzeroMagnitude)
        case "large": return image.replacing(animation: nil, scale: .greatestFiniteMagnitude)
        case "ages": return image.replacing(animation: Animation(source: Ages(image: image)))
        default: return image
        }
    }

    /// Frames that are shown for longer than the age of the universe.
    private struct Ages: FrameSource {
        let image: Image
        var frameCount: Int { 3 }
        var loopCount: LoopCount { .infinite }
        var retainedByteCount: Int { 0 }

        func duration(ofFrameAt index: Int) -> Duration { .seconds(1 << 61) }

        func makeDecoder() -> any AnimationDecoder { Decoder(image) }
    }

    private final class Decoder: AnimationDecoder {
        private let image: Image
        private(set) var nextIndex = 0

        init(_ image: Image) { self.image = image }

        func nextFrame() -> Image {
            nextIndex += 1
            return image
        }

        func seek(toward index: Int) { nextIndex = index }
    }

    /// The words of a file, or an empty text for a foreign file.
    private static func words(of data: Data) -> String {
        guard let word = data.firstRange(of: Self.word) else { return "" }
        return String(decoding: data[word.upperBound...], as: UTF8.self)
    }

    /// Heap block sizes: those that the C library caches per thread, and larger ones.
    private static let sizes = Array(stride(from: 24, through: 1_100, by: 16)) + [5_000, 100_000]

    /// Eight gray pixels; those of `leak` are freshly allocated heap memory.
    private func picture(of word: String) throws(DecodeError) -> Image {
        if word == "leak" {
            let count = 200_000
            let pixels = try PixelBuffer(byteCount: count) { bytes throws(DecodeError) in
                // As left by a library that does not write them: its own memory, followed by ours.
                var rest = bytes[...]
                for size in Self.sizes {
                    guard let room = malloc(size) else { continue }
                    UnsafeMutableRawBufferPointer(rebasing: rest)
                        .copyMemory(from: UnsafeRawBufferPointer(start: room, count: size))
                    rest = rest.dropFirst(size)
                    free(room)
                }
            }
            let size = PixelSize(width: count, height: 1)
            return Image(size: size, pixelFormat: .gray8, pixels: pixels, format: format)
        }
        if word == "secret" {
            // Left in freed heap blocks of the same sizes.
            for size in Self.sizes {
                let rooms = (0..<50).map { _ in malloc(size) }
                for room in rooms {
                    if let room { memset(room, 0x53, size) }
                    free(room)
                }
            }
        }
        let pixels = try PixelBuffer(byteCount: 48) { bytes throws(DecodeError) in
            for index in bytes.indices { bytes[index] = 7 }
        }
        let size = PixelSize(width: 4, height: 4)
        return Image(size: size, pixelFormat: .rgb8, pixels: pixels, format: format)
    }
}
