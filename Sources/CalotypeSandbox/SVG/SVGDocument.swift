import CSVG
import CalotypeCore
import FoundationEssentials

/// A document parsed by librsvg; freed with its last reference.
@safe final class SVGDocument {
    /// The maximum number of elements, counted by start and end tags.
    ///
    /// librsvg's own limit is five times higher and takes seconds to reach.
    static let maxElementCount = 200_000
    /// The longest side that cairo draws, in pixels.
    static let maxSide = 32_767

    /// ``naturalSize`` in whole pixels.
    let size: PixelSize

    private let document: OpaquePointer
    private let naturalSize: SVGShape.Size

    /// Parses a document.
    ///
    /// - Parameters:
    ///   - data: SVG, plain or compressed with gzip.
    ///   - limits: Applied to the inflated document.
    /// - Throws: `DecodeError`.
    init(_ data: Data, _ limits: DecodeLimits) throws(DecodeError) {
        let text = try Self.inflated(data, limits)
        // A document compressed twice would escape the limits.
        guard ImageFormat(sniffing: text) == .svg else {
            throw DecodeError(.unrecognizedFormat, detail: "the gzip data is not an SVG document")
        }
        let tagCount = unsafe text.withUnsafeBytes { unsafe $0.count { $0 == UInt8(ascii: "<") } }
        guard tagCount <= 2 * Self.maxElementCount else {
            throw Self.beyond("\(tagCount) tags, the limit is \(2 * Self.maxElementCount)")
        }
        var document: OpaquePointer?
        try unsafe text.bytes.withUnsafeBytes { bytes throws(DecodeError) in
            try unsafe Self.check { unsafe calotype_svg_open(bytes.baseAddress, bytes.count, &document, $0) }
        }
        guard let document = unsafe document else {
            throw DecodeError(.corrupt, format: .svg, detail: "librsvg returned no document")
        }
        unsafe self.document = document
        let shape = SVGShape(unsafe calotype_svg_get_shape(document))
        guard let natural = shape.size(maxPixelCount: limits.maxPixelCount) else {
            unsafe calotype_svg_close(document)
            throw DecodeError(.corrupt, format: .svg, detail: "its width or height is not greater than 0")
        }
        let (area, most) = (natural.width * natural.height, limits.maxPixelCount)
        guard area <= Double(most), natural.pixels.pixelCount <= most else {
            unsafe calotype_svg_close(document)
            throw Self.beyond(
                "\(natural.width)×\(natural.height) pixels, the limit is \(most)"
            )
        }
        naturalSize = natural
        size = natural.pixels
    }

    deinit { unsafe calotype_svg_close(document) }

    /// Draws the document into `rgba8` pixels of a size.
    func draw(_ size: PixelSize, into bytes: UnsafeMutableRawBufferPointer) throws(DecodeError) {
        let start = unsafe bytes.assumingMemoryBound(to: UInt8.self).baseAddress
        try unsafe Self.check { message in
            unsafe calotype_svg_draw(
                document,
                naturalSize.width,
                naturalSize.height,
                start,
                Int32(size.width),
                Int32(size.height),
                message
            )
        }
    }

    /// Returns the inflated data, or the data itself if it is not gzip.
    private static func inflated(_ data: Data, _ limits: DecodeLimits) throws(DecodeError) -> Data {
        guard data.isGzip else { return data }
        var (bytes, count) = unsafe (UnsafeMutableRawPointer?.none, 0)
        try unsafe data.bytes.withUnsafeBytes { input throws(DecodeError) in
            try unsafe check { message in
                unsafe calotype_svg_inflate(
                    input.baseAddress,
                    input.count,
                    limits.maxByteCount,
                    &bytes,
                    &count,
                    message
                )
            }
        }
        guard let start = unsafe bytes else { return Data() }
        return unsafe Data(bytesNoCopy: start, count: count, deallocator: .free)
    }

    private static func beyond(_ detail: String) -> DecodeError {
        DecodeError(.limitExceeded, format: .svg, detail: detail)
    }

    private static func check(
        _ call: (UnsafeMutablePointer<calotype_svg_message>) -> calotype_svg_status
    ) throws(DecodeError) {
        var message = calotype_svg_message()
        let code: DecodeError.Code
        switch unsafe call(&message) {
        case .ok: return
        case .unavailable: code = .unsupportedFeature
        case .limit_exceeded: code = .limitExceeded
        case .out_of_memory: code = .outOfMemory
        case .damaged: code = .corrupt
        }
        let text = unsafe withUnsafeBytes(of: &message.text) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        throw DecodeError(code, format: .svg, detail: text.isEmpty ? code.label : text)
    }
}

extension Data {
    /// True if the data begins with a gzip header (RFC 1952 section 2.3).
    var isGzip: Bool { prefix(3).elementsEqual([0x1F, 0x8B, 8]) }
}
