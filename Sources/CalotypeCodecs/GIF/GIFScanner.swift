import CalotypeCore

/// Parses the blocks of a GIF file as far as its bytes have arrived; reads each byte at most once.
///
/// Every part is checked against the limits when its header is read. Unknown bytes between blocks are an
/// error, except for zeros, which some writers leave there.
///
/// - SeeAlso: GIF89a, appendix A.
struct GIFScanner {
    private enum Part {
        case header
        case globalPalette(byteCount: Int)
        case block
        case extensionLabel
        case graphicControl
        case applicationName
        case applicationData
        case unknownData
        case descriptor
        case localPalette(byteCount: Int)
        case codeSize
        case codes
        case end
    }

    private(set) var layout = GIFLayout()

    private let limits: DecodeLimits
    private var part = Part.header
    private var offset = 0
    private var globalPalette = 0..<0
    private var backgroundIndex = 0
    private var isGlobalPaletteGray = true
    /// The fields of a graphic control for the following frame; `nil` without one.
    private var control: (disposal: GIFDisposal, transparentIndex: Int?, delay: Int)?
    /// The frame whose parts are being read.
    private var frame: GIFFrame?
    /// The pixels in the rectangles of all frames, which may be larger than the canvas.
    private var framePixelCount = 0

    init(limits: DecodeLimits) {
        self.limits = limits
    }

    /// True after the trailer.
    var isAtEnd: Bool {
        if case .end = part { true } else { false }
    }

    /// Parses as much of the file as is available.
    mutating func scan(_ bytes: Span<UInt8>) throws(DecodeError) {
        while try step(bytes) {}
    }

    /// Checks that the file is complete: it may end without a trailer, but not within a frame or before an
    /// announced one.
    func finish() throws(DecodeError) {
        if isAtEnd, !layout.frames.isEmpty { return }
        guard isAtEnd else {
            if case .block = part, control == nil, !layout.frames.isEmpty { return }
            throw .gif(.truncated, "the file ends after \(offset) bytes, \(layout.frames.count) whole frames")
        }
        throw .gif(.corrupt, "the file contains no frame")
    }

    /// Parses one part; returns whether enough bytes were available.
    private mutating func step(_ bytes: Span<UInt8>) throws(DecodeError) -> Bool {
        switch part {
        case .header: try readHeader(bytes)
        case .globalPalette(let byteCount): readGlobalPalette(bytes, byteCount)
        case .block: try readBlock(bytes)
        case .extensionLabel: readLabel(bytes)
        case .graphicControl: readGraphicControl(bytes)
        case .applicationName: readApplicationName(bytes)
        case .applicationData: readApplicationData(bytes)
        case .unknownData: skipData(bytes)
        case .descriptor: try readDescriptor(bytes)
        case .localPalette(let byteCount): try readLocalPalette(bytes, byteCount)
        case .codeSize: try readCodeSize(bytes)
        case .codes: skipCodes(bytes)
        case .end: false
        }
    }

    /// Consumes the next bytes, if that many are available.
    private mutating func take(_ byteCount: Int, _ bytes: Span<UInt8>) -> Range<Int>? {
        guard byteCount <= bytes.count - offset else { return nil }
        defer { offset += byteCount }
        return offset..<offset + byteCount
    }

    /// Consumes the next data block if it is complete; an empty result ends a sequence.
    private mutating func takeData(_ bytes: Span<UInt8>) -> Range<Int>? {
        guard offset < bytes.count, let block = take(1 + Int(bytes[offset]), bytes) else { return nil }
        return block.dropFirst()
    }
}

// MARK: - Screen

extension GIFScanner {
    private mutating func readHeader(_ bytes: Span<UInt8>) throws(DecodeError) -> Bool {
        guard let range = take(13, bytes) else { return false }
        let start = range.lowerBound
        guard bytes.holds("GIF", start..<start + 3) else {
            throw .gif(.corrupt, "the file does not start with GIF")
        }
        layout.size = PixelSize(width: bytes.littleEndian(start + 6), height: bytes.littleEndian(start + 8))
        // A screen without a size gets that of the first frame.
        if !layout.size.isEmpty { try limits.checkSize(layout.size, format: .gif) }
        let flags = bytes[start + 10]
        backgroundIndex = Int(bytes[start + 11])
        part = flags & 0x80 == 0 ? .block : .globalPalette(byteCount: Self.paletteByteCount(flags))
        return true
    }

    private mutating func readGlobalPalette(_ bytes: Span<UInt8>, _ byteCount: Int) -> Bool {
        guard let range = take(byteCount, bytes) else { return false }
        globalPalette = range
        isGlobalPaletteGray = bytes.isGray(range)
        if backgroundIndex * 3 < byteCount {
            let start = range.lowerBound + backgroundIndex * 3
            layout.background = RGBColor(red: bytes[start], green: bytes[start + 1], blue: bytes[start + 2])
        }
        part = .block
        return true
    }

    private mutating func readBlock(_ bytes: Span<UInt8>) throws(DecodeError) -> Bool {
        guard let range = take(1, bytes) else { return false }
        switch bytes[range.lowerBound] {
        case 0x21: part = .extensionLabel
        case 0x2C: part = .descriptor
        case 0x3B: part = .end
        case 0: break
        case let other: throw .gif(.corrupt, "invalid block type \(other) at byte \(range.lowerBound)")
        }
        return true
    }

    private static func paletteByteCount(_ flags: UInt8) -> Int { 3 << (Int(flags & 7) + 1) }
}

// MARK: - Extensions

extension GIFScanner {
    private mutating func readLabel(_ bytes: Span<UInt8>) -> Bool {
        guard let range = take(1, bytes) else { return false }
        switch bytes[range.lowerBound] {
        case 0xF9: part = .graphicControl
        case 0xFF: part = .applicationName
        default: part = .unknownData
        }
        return true
    }

    /// The last control before a frame applies.
    private mutating func readGraphicControl(_ bytes: Span<UInt8>) -> Bool {
        guard let data = takeData(bytes) else { return false }
        part = data.isEmpty ? .block : .unknownData
        guard data.count >= 4 else { return true }
        let start = data.lowerBound
        let flags = bytes[start]
        control = (
            GIFDisposal(bits: flags >> 2 & 7), flags & 1 == 0 ? nil : Int(bytes[start + 3]),
            bytes.littleEndian(start + 1)
        )
        return true
    }

    private mutating func readApplicationName(_ bytes: Span<UInt8>) -> Bool {
        guard let data = takeData(bytes) else { return false }
        let isLoop = bytes.holds("NETSCAPE2.0", data) || bytes.holds("ANIMEXTS1.0", data)
        part = data.isEmpty ? .block : isLoop ? .applicationData : .unknownData
        return true
    }

    /// Data block 1 holds the loop count; the last one applies.
    private mutating func readApplicationData(_ bytes: Span<UInt8>) -> Bool {
        guard let data = takeData(bytes) else { return false }
        if data.isEmpty { part = .block }
        if data.count >= 3, bytes[data.lowerBound] & 7 == 1 {
            layout.loopCountStated = bytes.littleEndian(data.lowerBound + 1)
        }
        return true
    }

    private mutating func skipData(_ bytes: Span<UInt8>) -> Bool {
        while let data = takeData(bytes) {
            guard data.isEmpty else { continue }
            part = .block
            return true
        }
        return false
    }
}

// MARK: - Frames

extension GIFScanner {
    private mutating func readDescriptor(_ bytes: Span<UInt8>) throws(DecodeError) -> Bool {
        guard let range = take(9, bytes) else { return false }
        let start = range.lowerBound
        let flags = bytes[start + 8]
        let rect = GIFRect(
            left: bytes.littleEndian(start),
            top: bytes.littleEndian(start + 2),
            width: bytes.littleEndian(start + 4),
            height: bytes.littleEndian(start + 6)
        )
        guard !isTruncated(before: rect) else {
            (control, part) = (nil, .end)
            return true
        }
        var frame = GIFFrame(rect: rect, isInterlaced: flags & 0x40 != 0, palette: globalPalette)
        if let control {
            frame.disposal = control.disposal
            frame.transparentIndex = control.transparentIndex
            frame.delay = control.delay
        }
        control = nil
        try checkCost(rect)
        self.frame = frame
        part = flags & 0x80 == 0 ? .codeSize : .localPalette(byteCount: Self.paletteByteCount(flags))
        return true
    }

    /// Returns whether the animation ends before a frame, because the limits truncate it.
    private func isTruncated(before rect: GIFRect) -> Bool {
        guard limits.truncatesAnimations, !layout.frames.isEmpty else { return false }
        let pixelCount = framePixelCount + rect.width * rect.height
        return layout.frames.count >= limits.maxReadFrameCount(of: layout.size)
            || pixelCount > limits.maxFramePixelCount
    }

    /// The cost of a frame is the area of its rectangle, even outside the canvas.
    private mutating func checkCost(_ rect: GIFRect) throws(DecodeError) {
        // As in browsers, a first frame that exceeds the screen enlarges it.
        if layout.frames.isEmpty {
            layout.size = PixelSize(
                width: max(layout.size.width, rect.right),
                height: max(layout.size.height, rect.bottom)
            )
        }
        try limits.checkSize(layout.size, frameCount: layout.frames.count + 1, format: .gif)
        guard !rect.isEmpty else { return }
        try limits.checkSize(PixelSize(width: rect.width, height: rect.height), format: .gif)
        framePixelCount += rect.width * rect.height
        guard framePixelCount <= max(limits.maxFramePixelCount, limits.maxPixelCount) else {
            throw .gif(.limitExceeded, "frames of \(framePixelCount) pixels together")
        }
    }

    private mutating func readLocalPalette(_ bytes: Span<UInt8>, _ byteCount: Int) throws(DecodeError) -> Bool
    {
        guard let range = take(byteCount, bytes) else { return false }
        frame?.palette = range
        part = .codeSize
        return true
    }

    private mutating func readCodeSize(_ bytes: Span<UInt8>) throws(DecodeError) -> Bool {
        guard let range = take(1, bytes) else { return false }
        let codeSize = bytes[range.lowerBound]
        guard codeSize <= 8 else {
            throw .gif(.corrupt, "a code size of \(codeSize) bits, the limit is 8")
        }
        guard let palette = frame?.palette, !palette.isEmpty else {
            throw .gif(.corrupt, "frame \(layout.frames.count) has no colour table")
        }
        let isGray = palette == globalPalette ? isGlobalPaletteGray : bytes.isGray(palette)
        layout.isGray = layout.isGray && isGray
        frame?.codes = range
        part = .codes
        return true
    }

    /// Skips the data blocks through the empty one, which completes the frame.
    private mutating func skipCodes(_ bytes: Span<UInt8>) -> Bool {
        guard skipData(bytes), var frame else { return false }
        frame.codes = frame.codes.lowerBound..<offset
        layout.frames.append(frame)
        self.frame = nil
        return true
    }
}
