import CCodecs
import CalotypeCore
import FoundationEssentials

/// The image of an icon that is stored as a bitmap: rows of colours, then rows of a mask of one bit a pixel.
///
/// The mask makes pixels transparent. Pixels of 32 bits have alpha instead, unless all of it is 0.
struct IconImage {
    let size: PixelSize
    private let reader: BMPReader

    init(_ bytes: Data) throws(DecodeError) {
        do throws(DecodeError) {
            reader = try BMPReader(icon: bytes)
        } catch {
            throw error.ofIcon
        }
        size = PixelSize(width: reader.header.width, height: reader.header.rowCount / 2)
        let compression = reader.header.compression
        guard compression == .none || compression.hasMasks else {
            throw DecodeError(
                .unsupportedFeature,
                format: .ico,
                detail: "unsupported compression of an icon: \(compression)"
            )
        }
    }

    /// Decodes the colours and applies the mask or the alpha.
    func decode() throws(DecodeError) -> Raster {
        do throws(DecodeError) {
            try reader.checkPixels(size)
            return try raster()
        } catch {
            throw error.ofIcon
        }
    }

    private func raster() throws(DecodeError) -> Raster {
        let colorByteCount = reader.header.rowByteCount * size.height
        let mask = reader.pixels.dropFirst(colorByteCount)
        let needed = maskRowByteCount * (size.height - 1) + (size.width + 7) / 8
        return try unsafe Raster(size: size, format: .rgba8) { rows throws(DecodeError) in
            let isTransparent = try unsafe reader.decode(rows, size)
            if reader.hasAlpha, !isTransparent { return }
            guard mask.count >= needed else {
                throw .truncatedICO("\(mask.count) bytes of mask, \(size) pixels take \(needed)")
            }
            try unsafe apply(mask, to: rows)
        }
    }

    private var maskRowByteCount: Int { (size.width + 31) / 32 * 4 }

    private func apply(_ mask: Data, to rows: cc_rows) throws(DecodeError) {
        // A raster has at least one pixel, so its buffer has an address.
        guard let pixels = unsafe rows.bytes else { return }
        try unsafe mask.bytes.withUnsafeBytes { bits throws(DecodeError) in
            try size.forEachBand(.ico) { band throws(DecodeError) in
                for y in band {
                    let row = reader.header.isTopDown ? y : size.height - 1 - y
                    let start = row * maskRowByteCount
                    for x in 0..<size.width {
                        let isMasked = unsafe bits[start + x / 8] >> (7 - x % 8) & 1 == 1
                        unsafe pixels[(y * size.width + x) * 4 + 3] = isMasked ? 0 : 255
                    }
                }
            }
        }
    }
}

extension DecodeError {
    /// The error as one of the outer icon.
    fileprivate var ofIcon: DecodeError {
        DecodeError(code, format: .ico, detail: detail)
    }
}
