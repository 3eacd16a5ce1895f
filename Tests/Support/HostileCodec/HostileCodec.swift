public import CalotypeCodecs
public import CalotypeCore
import CalotypeSupport
public import FoundationEssentials

/// A codec that does what its files say behind a word, as a codec with a hole would: `HOSTILE open`.
///
/// The word may stand behind the signature of another format. What is behind `later ` too is done when the
/// pixels are asked for, not by the header.
public struct HostileDecoder: ImageDecoder {
    /// Its format, which nobody else recognises.
    public static let format = ImageFormat(rawValue: "hostile")

    private static let word = Data("HOSTILE ".utf8)
    private static let later = "later "

    private let format: ImageFormat

    /// Creates the decoder; it stands for another format where a worker of that kind is to be taken over.
    public init(format: ImageFormat = Self.format) { self.format = format }

    /// The one.
    public var formats: [ImageFormat] { [format] }

    /// By the first word.
    public func recognizes(_ data: Data) -> ImageFormat? {
        data.starts(with: Self.word) ? format : nil
    }

    /// Does the deed.
    ///
    /// - Throws: `DecodeError` where there is no memory.
    public func info(of data: Data, limits: DecodeLimits) throws(DecodeError) -> ImageInfo {
        if !Self.words(of: data).hasPrefix(Self.later) {
            _ = try decode(data, options: DecodeOptions())
        }
        return ImageInfo(format: format, size: PixelSize(width: 4, height: 4), pixelFormat: .rgb8)
    }

    /// Does the deed.
    ///
    /// - Throws: `DecodeError` where there is no memory.
    public func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        let words = Self.words(of: data)
        let word = words.hasPrefix(Self.later) ? String(words.dropFirst(Self.later.count)) : words
        if let deed = Deed(rawValue: word) { deed.run() }
        if let lie = Lie(rawValue: word) { lie.tell() }
        return try Self.extremes(of: word, try picture(of: word))
    }

    /// An image as no codec of the library makes one, though it may: its profile, its scale, or the durations
    /// of its frames are as large or as small as they can be.
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

    /// Frames that are shown for longer than the universe is old.
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

    /// What a file says; nothing for what is no file of this codec.
    private static func words(of data: Data) -> String {
        guard let word = data.firstRange(of: Self.word) else { return "" }
        return String(decoding: data[word.upperBound...], as: UTF8.self)
    }

    /// Of pieces of the heap: those that the C library keeps for each thread, and larger ones.
    private static let sizes = Array(stride(from: 24, through: 1_100, by: 16)) + [5_000, 100_000]

    /// Eight pixels of gray; those of `leak` are what the heap has handed out.
    private func picture(of word: String) throws(DecodeError) -> Image {
        if word == "leak" {
            let count = 200_000
            let pixels = try PixelBuffer(byteCount: count) { bytes throws(DecodeError) in
                // As a library leaves what it does not write: in its own memory, and behind that in ours.
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
            // Left behind in the heap, in pieces of the same sizes.
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
