import CCodecs
import CalotypeCore
import FoundationEssentials

/// The header of a frame of a codestream (ISO/IEC 18181-1 annex F): the cost of the frame, and the position
/// of the next.
///
/// libjxl reports only shown frames but decodes all, so all headers are checked here first.
struct JPEGXLFrameHeader {
    enum Kind: Int {
        case regular
        /// An eighth of a later frame, or less.
        case lowFrequency
        /// A source of copies in later frames.
        case referenceOnly
        /// Like a regular frame, but not shown while it arrives.
        case skipProgressive
    }

    private(set) var kind = Kind.regular
    /// The drawn size, up to eight times the stored size.
    private(set) var size: PixelSize
    /// The duration in ticks; 0 if more layers follow on top.
    private(set) var ticks = 0
    private(set) var isLast = true
    /// True if nothing below it is visible.
    private(set) var isOpaque = true

    private var isModular = false
    private var upsampling = 1
    private var groupShift = 1
    private var passCount = 1
    /// True if a part of the canvas is unchanged.
    private var isPartial = false
    private var replacesColors = true

    /// True if no layer of the image is created from it directly.
    var isHidden: Bool { kind == .lowFrequency || kind == .referenceOnly }

    /// Reads a header.
    ///
    /// - Parameters:
    ///   - bits: Positioned at its first bit; afterwards at the table of contents.
    ///   - image: The header of the image.
    ///   - canvas: The size of the image, or of the preview.
    /// - Throws: `DecodeError`: `truncated`, `corrupt`, or `unsupportedFeature` for features that libjxl
    ///   might interpret differently.
    init(
        _ bits: inout JPEGXLBits,
        of image: cc_jxl_header,
        canvas: PixelSize
    ) throws(DecodeError) {
        size = canvas
        guard try !bits.flag() else { return }
        kind = Kind(rawValue: try bits.bits(2)) ?? .regular
        isModular = try bits.flag()
        try readCoding(&bits, image)
        if kind != .referenceOnly { try readPasses(&bits) }
        if kind == .lowFrequency {
            size = try canvas.divided(by: 1 << (3 * (bits.bits(2) + 1)))
        } else if try bits.flag() {
            try readArea(&bits, canvas)
        }
        isLast = false
        if !isHidden { try readLayer(&bits, image) }
        try readReference(&bits)
        let nameByteCount = try bits.number((0, 0), (4, 0), (5, 16), (10, 48))
        try bits.skip(nameByteCount * 8)
        try readFilter(&bits)
        try Self.readExtensions(&bits)
    }

    /// Returns the total size of all sections; the bits are positioned at the table of contents.
    ///
    /// - Throws: `DecodeError`: `truncated`, or `unsupportedFeature` if the sections have an explicit, coded
    ///   order.
    func readSectionByteCount(_ bits: inout JPEGXLBits) throws(DecodeError) -> Int {
        guard try !bits.flag() else {
            throw .jpegXLFeature("an explicit order of sections in a frame other than the last")
        }
        bits.skipToByte()
        var sum = 0
        for _ in 0..<sectionCount {
            sum += try bits.number((10, 0), (14, 1_024), (22, 17_408), (30, 4_211_712))
        }
        return sum
    }

    private var sectionCount: Int {
        let coded = size.divided(by: upsampling)
        let side = 128 << groupShift
        let groupCount = coded.divided(by: side).pixelCount
        guard groupCount > 1 || passCount > 1 else { return 1 }
        return 2 + coded.divided(by: side * 8).pixelCount + groupCount * passCount
    }

    // MARK: - Parts

    private mutating func readCoding(
        _ bits: inout JPEGXLBits,
        _ image: cc_jxl_header
    ) throws(DecodeError) {
        let flags = try bits.longNumber()
        let isXYB = image.is_xyb != 0
        var isYCbCr = false
        if !isXYB { isYCbCr = try bits.flag() }
        // Otherwise a low-frequency frame has stated it.
        if flags & 0x20 == 0 {
            if isYCbCr { try bits.skip(6) }
            upsampling = try 1 << bits.bits(2)
            try bits.skip(2 * Int(image.extra_channel_count))
        }
        if isModular {
            groupShift = try bits.bits(2)
        } else if isXYB {
            try bits.skip(6)
        }
    }

    private mutating func readPasses(_ bits: inout JPEGXLBits) throws(DecodeError) {
        passCount = try bits.number((0, 1), (0, 2), (0, 3), (3, 4))
        guard passCount > 1 else { return }
        let smallCount = try bits.number((0, 0), (0, 1), (0, 2), (1, 3))
        try bits.skip(2 * (passCount - 1) + 2 * smallCount)
        for _ in 0..<smallCount { _ = try bits.number((0, 0), (0, 1), (0, 2), (3, 0)) }
    }

    private mutating func readArea(_ bits: inout JPEGXLBits, _ canvas: PixelSize) throws(DecodeError) {
        func number() throws(DecodeError) -> Int {
            try bits.number((8, 0), (11, 256), (14, 2_304), (30, 18_688))
        }
        func signed(_ number: Int) -> Int { number & 1 == 0 ? number >> 1 : -(number >> 1) - 1 }
        var (x, y) = (0, 0)
        if !isHidden {
            x = try signed(number())
            y = try signed(number())
        }
        let width = try number()
        let height = try number()
        size = PixelSize(
            width: width == 0 ? canvas.width : width,
            height: height == 0 ? canvas.height : height
        )
        isPartial = x > 0 || y > 0 || width + x < canvas.width || height + y < canvas.height
        isOpaque = x == 0 && y == 0 && size == canvas
    }

    private mutating func readLayer(_ bits: inout JPEGXLBits, _ image: cc_jxl_header) throws(DecodeError) {
        for channel in 0...Int(image.extra_channel_count) {
            let mode = try bits.number((0, 0), (0, 1), (0, 2), (2, 3))
            let hasAlpha = image.extra_channel_count > 0 && (mode == 2 || mode == 3)
            if hasAlpha { _ = try bits.number((0, 0), (0, 1), (0, 2), (3, 3)) }
            if hasAlpha || mode == 4 { try bits.skip(1) }
            if mode != 0 || isPartial { try bits.skip(2) }
            if channel == 0 { replacesColors = mode == 0 }
            if mode != 0 { isOpaque = false }
        }
        if image.is_animated != 0 {
            ticks = try bits.number((0, 0), (0, 1), (8, 0), (32, 0))
            if image.has_timecodes != 0 { try bits.skip(32) }
        }
        isLast = try bits.flag()
        if isLast, kind == .skipProgressive { throw .jpegXLFeature("a last frame of kind skip-progressive") }
    }

    private func readReference(_ bits: inout JPEGXLBits) throws(DecodeError) {
        guard kind != .lowFrequency else { return }
        var mayBeCopied = false
        if !isLast { mayBeCopied = try bits.bits(2) != 0 || ticks == 0 }
        if kind == .referenceOnly || (mayBeCopied && replacesColors && !isPartial) { try bits.skip(1) }
    }

    private func readFilter(_ bits: inout JPEGXLBits) throws(DecodeError) {
        guard try !bits.flag() else { return }
        let number = 16
        if try bits.flag(), try bits.flag() { try bits.skip(6 * number) }
        if try bits.bits(2) > 0 {
            if !isModular, try bits.flag() { try bits.skip(8 * number) }
            if try bits.flag() { try bits.skip(5 * number) }
            if try bits.flag() { try bits.skip((isModular ? 3 : 4) * number) }
            if isModular { try bits.skip(number) }
        }
        try Self.readExtensions(&bits)
    }

    private static func readExtensions(_ bits: inout JPEGXLBits) throws(DecodeError) {
        // No extension has been defined.
        guard try bits.longNumber() == 0 else { throw .jpegXLFeature("an extension of a frame") }
    }
}

extension PixelSize {
    /// Returns the number of squares of a side that cover it, horizontally and vertically.
    fileprivate func divided(by side: Int) -> PixelSize {
        PixelSize(width: (width + side - 1) / side, height: (height + side - 1) / side)
    }
}

extension DecodeError {
    fileprivate static func jpegXLFeature(_ text: String) -> DecodeError {
        DecodeError(.unsupportedFeature, format: .jpegXL, detail: text)
    }
}
