import CCodecs
import CalotypeCore
import FoundationEssentials

extension TIFFLayout {
    /// Checks the cost of JPEG, and that JPEG and CCITT group 4 contain all pixels of their strips and tiles.
    ///
    /// The library decodes the available data, and leaves the rest uninitialized.
    func checkPacking(_ limits: DecodeLimits) throws(DecodeError) {
        guard !compression.isFax || pieces.size.width <= Self.maxFaxWidth else {
            throw .limitTIFF(
                "rows of \(pieces.size.width) pixels, the limit for CCITT is \(Self.maxFaxWidth)"
            )
        }
        if compression == .jpeg { try checkJPEG(limits) }
        if compression == .ccittGroup4 { try checkGroup4() }
    }

    /// The library allocates 16 bytes for each pixel of a row before it decodes anything.
    private static let maxFaxWidth = 1 << 20

    private func checkJPEG(_ limits: DecodeLimits) throws(DecodeError) {
        var scanPixelCount = UInt64(0)
        try unsafe forEachPiece { bytes, index throws(DecodeError) in
            let outline = unsafe cc_jpeg_outline_of(bytes)
            let size = pieces.size(at: index)
            // Some writers do not reduce the height of the last strip.
            let heights = pieces.isTiled || !pieces.isLast(index) ? size.height : pieces.size.height
            guard outline.is_lossless == 0 else { throw .unsupportedTIFF("lossless JPEG") }
            guard outline.is_whole != 0 else { throw .truncated(index, "a JPEG without an end marker") }
            guard outline.width == size.width, (size.height...heights).contains(Int(outline.height)) else {
                throw .corruptTIFF("a JPEG of \(outline.width)×\(outline.height) in a piece of \(size)")
            }
            // A scan takes at least one byte, so this is at most bytes × pixels.
            scanPixelCount += outline.scan_count * UInt64(size.pixelCount)
            guard scanPixelCount <= limits.maxScanPixelCount else {
                throw .limitTIFF("scans times pixels are beyond \(limits.maxScanPixelCount)")
            }
            if pieces.isTiled { try unsafe checkTile(bytes) }
        }
    }

    /// Decodes a tile at an eighth of its size to detect any loss: libvips does not report libjpeg's warnings
    /// for tiles.
    private func checkTile(_ bytes: cc_bytes) throws(DecodeError) {
        let start = Data([0xFF, 0xD8])
        let tables = jpegTables.map { file.dropFirst($0.lowerBound + 2).prefix(max(0, $0.count - 4)) }
        let own = unsafe UnsafeRawBufferPointer(start: bytes.start, count: bytes.count)
        let tile = unsafe start + (tables ?? Data()) + own.dropFirst(2)
        do throws(DecodeError) {
            try unsafe tile.bytes.withUnsafeBytes { bytes throws(DecodeError) in
                _ = try unsafe JPEGReader(bytes).decode(
                    eighths: 1,
                    options: DecodeOptions(convertsToSRGB: false)
                )
            }
        } catch  where [.corrupt, .truncated].contains(error.code) {
            throw DecodeError(error.code, format: .tiff, detail: error.detail)
        } catch {
            // libvips may support features that this module's decoder lacks.
        }
    }

    private func checkGroup4() throws(DecodeError) {
        try unsafe forEachPiece { bytes, index throws(DecodeError) in
            let size = pieces.size(at: index)
            let width = UInt32(size.width)
            switch unsafe cc_tiff_check_group4(bytes, width, UInt32(size.height), isReversed ? 1 : 0) {
            case .ok: break
            case .truncated: throw .truncated(index, "rows of \(size) are missing")
            case .out_of_memory: throw .outOfMemory(byteCount: 8 * size.width, of: "rows")
            default: throw .corruptTIFF("piece \(index) has damaged rows")
            }
        }
    }

    private func forEachPiece(
        _ body: (cc_bytes, _ index: Int) throws(DecodeError) -> Void
    ) throws(DecodeError) {
        try unsafe file.bytes.withUnsafeBytes { file throws(DecodeError) in
            for index in 0..<pieces.count {
                guard let range = try pieces.bytes(at: index) else {
                    throw .corruptTIFF("the directory states no position of piece \(index)")
                }
                try unsafe body(cc_bytes(UnsafeRawBufferPointer(rebasing: file[range])), index)
            }
        }
    }
}

extension DecodeError {
    fileprivate static func truncated(_ index: Int, _ detail: String) -> DecodeError {
        DecodeError(.truncated, format: .tiff, detail: "piece \(index): \(detail)")
    }
}
