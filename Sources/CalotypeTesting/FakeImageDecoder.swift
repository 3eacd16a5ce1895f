public import CalotypeCodecs
public import CalotypeCore
internal import CalotypeSupport
public import FoundationEssentials

/// A decoder of a format of its own, small enough to write in a test, that counts what it decodes.
///
/// The format is the text `fake:WIDTHxHEIGHT`, followed by anything; the pixels are gray, all of the value 7.
/// Text that ends in `corrupt` is damaged.
public final class FakeImageDecoder: ImageDecoder {
    /// The format that it decodes.
    public static let format = ImageFormat(rawValue: "fake")

    private let count = Guarded(0)

    /// Creates a decoder that has decoded nothing.
    public init() {}

    /// How many images it was asked to decode.
    public var decodeCount: Int { count.withLock { $0 } }

    /// An image of the format.
    public static func data(width: Int, height: Int, suffix: String = "") -> Data {
        Data("fake:\(width)x\(height) \(suffix)".utf8)
    }

    /// Its one format.
    public var formats: [ImageFormat] { [Self.format] }

    /// Whether the bytes begin with `fake:`.
    public func recognizes(_ data: Data) -> ImageFormat? {
        data.starts(with: "fake:".utf8) ? Self.format : nil
    }

    /// Reads the size.
    ///
    /// - Throws: `DecodeError` where there is none, or it is beyond the limits.
    public func info(of data: Data, limits: DecodeLimits) throws(DecodeError) -> ImageInfo {
        let header = String(decoding: data.prefix(64).dropFirst(5), as: UTF8.self).prefix { $0 != " " }
        let sides = header.split(separator: "x").compactMap { Int($0) }
        guard sides.count == 2, sides.allSatisfy({ $0 > 0 }) else {
            throw DecodeError(.corrupt, format: Self.format, detail: "no size in \(header)")
        }
        let size = PixelSize(width: sides[0], height: sides[1])
        guard size.pixelCount <= limits.pixelCountMax else {
            throw DecodeError(.limitExceeded, format: Self.format, detail: "\(size) is too large")
        }
        return ImageInfo(format: Self.format, size: size, pixelFormat: .gray8)
    }

    /// Makes a gray image of the size that the target asks for.
    ///
    /// - Throws: `DecodeError` as ``info(of:limits:)``, and where the text ends in
    ///   `corrupt`.
    public func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        count.withLock { $0 += 1 }
        let info = try info(of: data, limits: options.limits)
        guard !data.suffix(7).elementsEqual("corrupt".utf8) else {
            throw DecodeError(.corrupt, format: Self.format, detail: "the text says so")
        }
        let size = options.target.resultSize(for: info.size)
        let pixels = PixelBuffer(byteCount: size.pixelCount) {
            (bytes: UnsafeMutableRawBufferPointer) throws(Never) in
            for index in bytes.indices { bytes[index] = 7 }
        }
        return Image(
            size: size,
            pixelFormat: .gray8,
            pixels: pixels,
            scale: options.scale,
            format: Self.format
        )
    }
}
