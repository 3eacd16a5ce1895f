import CalotypeCore
import FoundationEssentials

/// Expands the run lengths of bitmaps of 8 and of 4 bits.
///
/// Skipped pixels have index 0. At most 2²⁴ pixels may be skipped, since a file of 60 bytes could claim any
/// number. A run is cut off at the end of its row, as in browsers; a run below the last row is an error. The
/// end marker may be missing if all rows are present.
///
/// - SeeAlso: [MS-WMF] 3.1.6, "Bitmap Compression".
@safe struct BMPRunLengths {
    private let size: PixelSize
    private let isNibbles: Bool
    /// The position of the next pixel; rows are counted from the bottom.
    private var x = 0
    private var y = 0
    private var writtenCount = 0

    private static let maxSkippedCount = 1 << 24
    /// The number of runs between two checks whether the work has to stop.
    private static let runCountUnseen = 4096

    init(size: PixelSize, isNibbles: Bool) {
        self.size = size
        self.isNibbles = isNibbles
    }

    /// The target of the pixels, and the palette.
    @safe private struct Canvas {
        let target: UnsafeMutablePointer<UInt8>
        let colors: UnsafeBufferPointer<UInt8>
        let bytesPerPixel: Int
    }

    /// Checks that the runs fill the image exactly, before memory is allocated for it.
    func check(_ runs: Data) throws(DecodeError) {
        var walk = self
        try unsafe runs.bytes.withUnsafeBytes { bytes throws(DecodeError) in
            try unsafe walk.expand(bytes, nil)
        }
        let skippedCount = size.pixelCount - walk.writtenCount
        guard skippedCount <= Self.maxSkippedCount else {
            throw DecodeError(
                .limitExceeded,
                format: .bmp,
                detail: "the runs skip \(skippedCount) pixels, the limit is \(Self.maxSkippedCount)"
            )
        }
    }

    /// Writes all pixels.
    ///
    /// - Parameters:
    ///   - runs: The file from the first run on.
    ///   - palette: The colours.
    ///   - target: The memory for all pixels.
    ///   - bytesPerPixel: 1 for a gray palette, otherwise 3 or 4.
    /// - Throws: `DecodeError` if the runs are truncated or leave the image.
    mutating func expand(
        _ runs: Data,
        _ palette: BMPPalette,
        into target: UnsafeMutablePointer<UInt8>,
        bytesPerPixel: Int
    ) throws(DecodeError) {
        // Copied out and back, since the closures below must not capture `self`.
        var expansion = self
        try unsafe palette.colors.withUnsafeBufferPointer { colors throws(DecodeError) in
            let canvas = unsafe Canvas(target: target, colors: colors, bytesPerPixel: bytesPerPixel)
            expansion.clear(canvas)
            try unsafe runs.bytes.withUnsafeBytes { bytes throws(DecodeError) in
                try unsafe expansion.expand(bytes, canvas)
            }
        }
        self = expansion
    }

    /// Sets all pixels to index 0: one row, copied to the others.
    private func clear(_ canvas: Canvas) {
        for x in 0..<size.width { put(0, x, 0, canvas) }
        let byteCount = size.width * canvas.bytesPerPixel
        let bottom = unsafe canvas.target + (size.height - 1) * byteCount
        for row in 0..<size.height - 1 {
            unsafe (canvas.target + row * byteCount).update(from: bottom, count: byteCount)
        }
    }

    private mutating func expand(_ bytes: UnsafeRawBufferPointer, _ canvas: Canvas?) throws(DecodeError) {
        var (next, runCount) = (0, 0)
        while y <= size.height {
            if runCount % Self.runCountUnseen == 0 { try DecodeError.checkStop(.bmp) }
            runCount += 1
            guard next + 1 < bytes.count else {
                if y >= size.height || (y == size.height - 1 && x >= size.width) { return }
                throw .truncatedBMP("the runs end in row \(y) of \(size.height)")
            }
            let (count, value) = unsafe (Int(bytes[next]), bytes[next + 1])
            next += 2
            switch (count, value) {
            case (1..., _): try writeRun(count, value, canvas)
            case (_, 0): (x, y) = (0, y + 1)
            case (_, 1): return
            case (_, 2):
                guard next + 1 < bytes.count else { throw .truncatedBMP("the runs end in a move") }
                unsafe x += Int(bytes[next])
                unsafe y += Int(bytes[next + 1])
                next += 2
            default:
                let byteCount = isNibbles ? (Int(value) + 1) / 2 : Int(value)
                guard next + byteCount <= bytes.count else { throw .truncatedBMP("the runs end in pixels") }
                try unsafe writePixels(Int(value), bytes, next, canvas)
                next += byteCount + byteCount % 2
            }
        }
        throw .corruptBMP("the runs leave the image of \(size.height) rows")
    }

    /// Writes one index repeatedly; for 4 bits two indices alternate.
    private mutating func writeRun(_ count: Int, _ value: UInt8, _ canvas: Canvas?) throws(DecodeError) {
        let visible = try advance(count)
        guard let canvas else { return }
        let left = x - count
        let indices = isNibbles ? (Int(value >> 4), Int(value & 15)) : (Int(value), Int(value))
        for step in 0..<visible {
            put(step % 2 == 0 ? indices.0 : indices.1, left + step, y, canvas)
        }
    }

    private mutating func writePixels(
        _ count: Int,
        _ bytes: UnsafeRawBufferPointer,
        _ start: Int,
        _ canvas: Canvas?
    ) throws(DecodeError) {
        let visible = try advance(count)
        guard let canvas else { return }
        let left = x - count
        for step in 0..<visible {
            let byte = unsafe Int(bytes[start + (isNibbles ? step / 2 : step)])
            let index = !isNibbles ? byte : step % 2 == 0 ? byte >> 4 : byte & 15
            put(index, left + step, y, canvas)
        }
    }

    /// Advances by a run.
    ///
    /// - Returns: The number of its pixels within the row.
    private mutating func advance(_ count: Int) throws(DecodeError) -> Int {
        guard y < size.height else { throw .corruptBMP("a run lies below the last row") }
        let visible = min(count, max(0, size.width - x))
        x += count
        writtenCount += visible
        return visible
    }

    private func put(_ index: Int, _ x: Int, _ y: Int, _ canvas: Canvas) {
        let pixel = (size.height - 1 - y) * size.width + x
        for channel in 0..<canvas.bytesPerPixel {
            unsafe canvas.target[pixel * canvas.bytesPerPixel + channel] = canvas.colors[index * 4 + channel]
        }
    }
}
