import CCodecs
import CalotypeCore
import FoundationEssentials

/// An open bitmap: its header, its palette and the position of its pixels.
struct BMPReader {
    let header: BMPHeader
    /// The bytes from the first pixel to the end of the file.
    let pixels: Data
    private let palette: BMPPalette?
    private let profile: Data?

    init(file: Data) throws(DecodeError) {
        guard file.starts(with: [0x42, 0x4D]) else {
            throw .corruptBMP("the file does not start with BM")
        }
        guard file.count >= 14 else { throw .truncatedBMP("the file ends in its first 14 bytes") }
        let start = file.dropFirst(10).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        let bitmap = file.dropFirst(14)
        header = try BMPHeader(bitmap)
        try Self.checkColorCount(header, bitmap)
        let pixelStart = start == 0 ? header.byteCount + header.paletteByteCount : start - 14
        guard pixelStart >= header.byteCount else {
            throw .corruptBMP("the pixels start at byte \(start), in the header")
        }
        pixels = bitmap.dropFirst(pixelStart)
        palette = try Self.palette(header, bitmap.prefix(pixelStart), isWhole: bitmap.count >= pixelStart)
        profile = header.profile.flatMap { range in
            // Ignore a profile beyond the end of the file.
            guard range.upperBound <= bitmap.count else { return nil }
            return bitmap.dropFirst(range.lowerBound).prefix(range.count)
        }
    }

    /// Reads the header of a bitmap without a file header: the image of an icon, in which 32 bits without
    /// masks have alpha.
    init(icon bitmap: Data) throws(DecodeError) {
        var header = try BMPHeader(bitmap)
        if header.bitsPerPixel == 32, header.compression == .none { header.masks.alpha = 0xFF00_0000 }
        self.header = header
        try Self.checkColorCount(header, bitmap)
        let pixelStart = header.byteCount + header.paletteByteCount
        pixels = bitmap.dropFirst(pixelStart)
        palette = try Self.palette(header, bitmap.prefix(pixelStart), isWhole: bitmap.count >= pixelStart)
        profile = nil
    }

    /// Rejects a number of colours that does not fit the file; more colours than indices are harmless
    /// otherwise.
    private static func checkColorCount(_ header: BMPHeader, _ bitmap: Data) throws(DecodeError) {
        // For pixels without indices the number is a hint, which browsers ignore.
        guard header.hasPalette else { return }
        let indexCount = 1 << header.bitsPerPixel
        guard header.statedColorCount <= max(indexCount, bitmap.count / header.colorByteCount) else {
            throw .corruptBMP("\(header.statedColorCount) colours in \(bitmap.count) bytes")
        }
    }

    /// Reads the colours between the header and the pixels, as far as there is space for them.
    private static func palette(
        _ header: BMPHeader,
        _ head: Data,
        isWhole: Bool
    ) throws(DecodeError) -> BMPPalette? {
        guard header.hasPalette else { return nil }
        let stated = header.colorCount * header.colorByteCount
        let bytes = head.dropFirst(header.byteCount).prefix(stated)
        guard isWhole || bytes.count == stated else {
            throw .truncatedBMP("the file ends in the palette")
        }
        guard bytes.count >= header.colorByteCount else { throw .corruptBMP("the palette is missing") }
        return BMPPalette(bytes, colorByteCount: header.colorByteCount)
    }

    /// The size of a file's image.
    var size: PixelSize { PixelSize(width: header.width, height: header.rowCount) }

    var hasAlpha: Bool { !header.hasPalette && header.masks.hasAlpha }

    var hasColorProfile: Bool { profile != nil }

    /// Gray if the palette is gray and no profile changes it to colours.
    var pixelFormat: PixelFormat {
        if hasAlpha { return .rgba8 }
        return palette?.isGray == true && profile == nil ? .gray8 : .rgb8
    }

    /// Decodes all pixels of a file's image.
    func decode(options: DecodeOptions) throws(DecodeError) -> Raster {
        let color = ColorConversion(profile, hasAlpha: hasAlpha, isWanted: options.convertsToSRGB)
        let size = size
        return try unsafe Raster(size: size, format: pixelFormat) { rows throws(DecodeError) in
            let isTransparent = try unsafe decode(rows, size)
            if hasAlpha, isTransparent, header.compression == .none {
                try unsafe Self.makeOpaque(rows, size)
            }
            guard let transform = unsafe color.transform else { return }
            try size.forEachBand(.bmp) { band throws(DecodeError) in
                // A raster has at least one pixel, so its buffer has an address.
                guard let start = unsafe rows.bytes else { return }
                let target = unsafe start + band.lowerBound * rows.row_byte_count
                unsafe cc_color_apply(transform, target, target, UInt32(band.count * size.width))
            }
        }
    }

    /// Decodes the rows of a size.
    ///
    /// - Returns: True if the pixels have alpha, and all of it is 0.
    func decode(_ rows: cc_rows, _ size: PixelSize) throws(DecodeError) -> Bool {
        // A raster has at least one pixel, so its buffer has an address.
        guard let target = unsafe rows.bytes else { return false }
        let bytesPerPixel = unsafe rows.row_byte_count / size.width
        if header.compression.isRunLength {
            guard let palette else { return false }
            var runs = runLengths(size)
            try unsafe runs.expand(pixels, palette, into: target, bytesPerPixel: bytesPerPixel)
            return false
        }
        let layout = BMPRowLayout(header, palette)
        var alpha: UInt8 = 0
        try unsafe pixels.bytes.withUnsafeBytes { source throws(DecodeError) in
            try size.forEachBand(.bmp) { band throws(DecodeError) in
                for y in band {
                    let kept = header.isTopDown ? y : size.height - 1 - y
                    let row = unsafe source[(kept * header.rowByteCount)...]
                    unsafe alpha |= layout.write(
                        UnsafeRawBufferPointer(rebasing: row),
                        into: target + y * rows.row_byte_count,
                        width: size.width,
                        bytesPerPixel: bytesPerPixel
                    )
                }
            }
        }
        return alpha == 0
    }

    private func runLengths(_ size: PixelSize) -> BMPRunLengths {
        BMPRunLengths(size: size, isNibbles: header.compression == .runLength4)
    }

    /// Checks that the file contains all rows of a size, before memory is allocated for them.
    func checkPixels(_ size: PixelSize) throws(DecodeError) {
        guard !header.compression.isRunLength else { return try runLengths(size).check(pixels) }
        let needed = header.byteCount(ofRows: size.height)
        guard pixels.count >= needed else {
            throw .truncatedBMP("\(pixels.count) bytes of pixels, \(size) of them take \(needed)")
        }
    }

    private static func makeOpaque(_ rows: cc_rows, _ size: PixelSize) throws(DecodeError) {
        try size.forEachBand(.bmp) { band throws(DecodeError) in
            for pixel in band.lowerBound * size.width..<band.upperBound * size.width {
                unsafe rows.bytes?[pixel * 4 + 3] = 255
            }
        }
    }
}

extension BMPHeader {
    /// The stated size of the palette in bytes; pixels without indices may have one too, as a hint.
    var paletteByteCount: Int {
        if hasPalette { return (statedColorCount == 0 ? colorCount : statedColorCount) * colorByteCount }
        // Such a palette is for screens of 256 colours, and has no more.
        return statedColorCount <= 256 ? statedColorCount * colorByteCount : 0
    }
}
