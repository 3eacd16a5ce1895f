import CalotypeCodecs
import CalotypeCore
import FoundationEssentials

extension ImageFormat {
    /// The Quite OK Image format.
    public static let qoi = ImageFormat(rawValue: "qoi")
}

/// Decodes QOI: a codec of one's own, as a package that depends on Calotype would write it.
///
/// - SeeAlso: The Quite OK Image Format, specification version 1.0, qoiformat.org.
public struct QOIDecoder: ImageDecoder {
    /// Creates a decoder.
    public init() {}

    /// QOI.
    public var formats: [ImageFormat] { [.qoi] }

    /// Whether the bytes begin with `qoif`.
    public func recognizes(_ data: Data) -> ImageFormat? {
        data.starts(with: QOIHeader.magic) ? .qoi : nil
    }

    /// Reads the 14 bytes of the header.
    ///
    /// - Throws: `DecodeError` where the header is damaged or the image is beyond the limits.
    public func info(of data: Data, limits: DecodeLimits) throws(DecodeError) -> ImageInfo {
        try limits.checkInput(data, format: .qoi)
        let header = try QOIHeader(data)
        try limits.checkSize(header.size, format: .qoi)
        return ImageInfo(
            format: .qoi,
            size: header.size,
            hasAlpha: header.pixelFormat == .rgba8,
            pixelFormat: header.pixelFormat
        )
    }

    /// Decodes the image.
    ///
    /// - Throws: `DecodeError`; then there are no pixels.
    public func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        let info = try info(of: data, limits: options.limits)
        var stream = QOIStream([UInt8](data.dropFirst(QOIHeader.byteCount)), format: info.pixelFormat)
        try stream.checkLeast(pixelCount: info.size.pixelCount)
        let byteCount = info.size.pixelCount * info.pixelFormat.bytesPerPixel
        let pixels = try PixelBuffer(byteCount: byteCount) { bytes throws(DecodeError) in
            try stream.decode(into: bytes)
        }
        let image = Image(size: info.size, pixelFormat: info.pixelFormat, pixels: pixels)
        return try options.image(from: image, format: .qoi)
    }
}

/// The first bytes of a file.
struct QOIHeader {
    static let magic = Array("qoif".utf8)
    static let byteCount = 14
    static let endMark: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]

    let size: PixelSize
    let pixelFormat: PixelFormat

    init(_ data: Data) throws(DecodeError) {
        let bytes = [UInt8](data.prefix(Self.byteCount))
        guard bytes.starts(with: Self.magic.prefix(bytes.count)) else {
            throw DecodeError(.corrupt, format: .qoi, detail: "the file does not start with qoif")
        }
        guard bytes.count == Self.byteCount else {
            throw DecodeError(.truncated, format: .qoi, detail: "\(bytes.count) bytes of a header of 14")
        }
        let sides = [4, 8].map { start in bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } }
        size = PixelSize(width: sides[0], height: sides[1])
        guard (3...4).contains(bytes[12]), bytes[13] <= 1 else {
            throw DecodeError(
                .corrupt,
                format: .qoi,
                detail: "\(bytes[12]) channels in colour space \(bytes[13])"
            )
        }
        pixelFormat = bytes[12] == 3 ? .rgb8 : .rgba8
    }
}
