import CalotypeCore
import FoundationEssentials

/// What the tags of the first page say, checked before the library sees the file.
struct TIFFLayout {
    /// Width and height as stored.
    let size: PixelSize
    /// What tag 274 states; upright where it is absent or makes no sense.
    let orientation: Orientation
    /// Whether the sample after the colours is alpha.
    ///
    /// A sample that is not said to be alpha is none, as TIFF 6.0 section 18 has it.
    let hasAlpha: Bool

    private let tags: TIFFTags

    /// Reads the tags.
    ///
    /// - Throws: ``DecodeError``, also where pixels lie beyond the end of the file.
    init(_ file: Data) throws(DecodeError) {
        tags = try TIFFTags(file)
        guard let width = try tags.integer(256), let height = try tags.integer(257) else {
            throw DecodeError(.corrupt, format: .tiff, detail: "the directory states no size")
        }
        size = PixelSize(width: min(width, Int(Int32.max)), height: min(height, Int(Int32.max)))
        orientation = Orientation(rawValue: try tags.integer(274) ?? 1) ?? .up
        hasAlpha = [1, 2].contains(try tags.integer(338) ?? 0)
        try checkFeatures()
        try checkEnd(of: file)
    }

    /// Checks what decoding would cost.
    func check(_ limits: DecodeLimits) throws(DecodeError) {
        try limits.checkSize(size, format: .tiff)
        let bits = (try tags.integers(258) ?? [1]).max() ?? 1
        let sampleCount = try tags.integer(277) ?? 1
        // The library decodes strips and rows of tiles as they are stored.
        guard bits <= 64, sampleCount <= Self.sampleCountMax else {
            throw DecodeError(
                .limitExceeded,
                format: .tiff,
                detail: "\(sampleCount) samples of \(bits) bits, the limit is \(Self.sampleCountMax) of 64"
            )
        }
        guard let width = try tags.integer(322), let height = try tags.integer(323) else { return }
        let most = max(Self.tilePixelCountMax, 2 * size.pixelCount)
        guard width > 0, height > 0, width <= most / height else {
            throw DecodeError(
                .limitExceeded,
                format: .tiff,
                detail: "tiles of \(width)×\(height) pixels in an image of \(size)"
            )
        }
    }

    private static let sampleCountMax = 8
    /// A larger tile is no larger than the image.
    private static let tilePixelCountMax = 1 << 20

    /// None, CCITT, LZW, JPEG, deflate, PackBits, LZMA, Zstandard and WebP.
    ///
    /// The others are rare, and their decoders hardly tried against hostile files.
    private static let compressions: Set<Int> = [1, 2, 3, 4, 5, 7, 8, 32773, 32946, 34925, 50000, 50001]

    private func checkFeatures() throws(DecodeError) {
        let compression = try tags.integer(259) ?? 1
        guard Self.compressions.contains(compression) else {
            throw DecodeError(.unsupportedFeature, format: .tiff, detail: "compression \(compression)")
        }
        // libvips takes YCbCr for RGB unless libjpeg converts it.
        guard try tags.integer(262) != 6 || compression == 7 else {
            throw DecodeError(.unsupportedFeature, format: .tiff, detail: "YCbCr that is not JPEG")
        }
    }

    /// Checks that every strip or tile is in the file.
    private func checkEnd(of file: Data) throws(DecodeError) {
        for (places, counts) in [(UInt16(273), UInt16(279)), (324, 325)] {
            guard let places = try tags.integers(places), let counts = try tags.integers(counts) else {
                continue
            }
            for (place, count) in zip(places, counts) where place > file.count - count {
                throw DecodeError(
                    .truncated,
                    format: .tiff,
                    detail: "pixels at byte \(place) to \(place + count) of \(file.count)"
                )
            }
        }
    }
}
