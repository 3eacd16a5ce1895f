public import CalotypeCodecs
public import CalotypeCore
internal import CalotypeSupport
public import FoundationEssentials

/// A decoder of a simple format, which can be written in a test, that counts its decodes.
///
/// The format is the text `fake:WIDTHxHEIGHT`, or `fake:WIDTHxHEIGHTxFRAMES` for an animation, followed by
/// any text. The pixels are gray with the value 7, plus one for each frame. Text that ends in `corrupt` is
/// damaged.
public final class FakeImageDecoder: ImageDecoder {
    /// The format that it decodes.
    public static let format = ImageFormat(rawValue: "fake")

    private let count = Guarded(0)

    /// Creates a decoder with a count of zero.
    public init() {}

    /// The number of decodes requested so far.
    public var decodeCount: Int { count.withLock { $0 } }

    /// Returns an image of the format, animated if it has more than one frame.
    public static func data(width: Int, height: Int, frameCount: Int = 1, suffix: String = "") -> Data {
        let frames = frameCount > 1 ? "x\(frameCount)" : ""
        return Data("fake:\(width)x\(height)\(frames) \(suffix)".utf8)
    }

    /// Its one format.
    public var formats: [ImageFormat] { [Self.format] }

    /// Returns the format if the bytes begin with `fake:`.
    public func recognizes(_ data: Data) -> ImageFormat? {
        data.starts(with: "fake:".utf8) ? Self.format : nil
    }

    /// Parses the size.
    ///
    /// - Throws: `DecodeError` if there is no size, or it exceeds the limits.
    public func info(of data: Data, limits: DecodeLimits) throws(DecodeError) -> ImageInfo {
        let header = String(decoding: data.prefix(64).dropFirst(5), as: UTF8.self).prefix { $0 != " " }
        let sides = header.split(separator: "x").compactMap { Int($0) }
        guard (2...3).contains(sides.count), sides.allSatisfy({ $0 > 0 }) else {
            throw DecodeError(.corrupt, format: Self.format, detail: "no size in \(header)")
        }
        let size = PixelSize(width: sides[0], height: sides[1])
        guard size.pixelCount <= limits.maxPixelCount else {
            throw DecodeError(.limitExceeded, format: Self.format, detail: "\(size) is too large")
        }
        let frameCount = sides.count == 3 ? sides[2] : 1
        return ImageInfo(format: Self.format, size: size, frameCount: frameCount, pixelFormat: .gray8)
    }

    /// Creates a gray image of the target size, animated if there are several frames and all are requested.
    ///
    /// - Throws: `DecodeError` as ``info(of:limits:)``, and if the text ends in `corrupt`.
    public func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        count.withLock { $0 += 1 }
        let info = try info(of: data, limits: options.limits)
        guard !data.suffix(7).elementsEqual("corrupt".utf8) else {
            throw DecodeError(.corrupt, format: Self.format, detail: "the text says so")
        }
        let size = options.target.resultSize(for: info.size)
        let source = FakeFrameSource(frameCount: info.frameCount, size: size, firstValue: 7)
        let first = source.image(at: 0)
        let isAnimated = info.frameCount > 1 && options.frames == .all
        return Image(
            size: size,
            pixelFormat: first.pixelFormat,
            pixels: first.pixels,
            scale: options.scale,
            format: Self.format,
            animation: isAnimated ? Animation(source: source, firstFrame: first) : nil
        )
    }
}
