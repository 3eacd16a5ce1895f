import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// The fields of the open bitstream units of an AV1 item (AV1 specification section 5), independent of the
/// boxes.
struct AV1Stream {
    /// The size in the sequence headers; a frame is no larger unless its own header states it.
    private(set) var size: PixelSize?
    /// The number of coded frames, shown or not.
    private(set) var frameCount = 0
    /// True if a frame has a size of its own, or that cannot be determined.
    private(set) var hasOwnFrameSize = false

    private var sequence: SequenceHeader?

    /// Reads the units of the configuration (`av1C`) and of the item, in decoding order.
    ///
    /// Fails if the last unit or a sequence header is truncated.
    init?(configuration: Data, item: Data) {
        for bytes in [configuration.dropFirst(4), item] {
            var reader = ByteReader(bytes)
            while reader.remainingByteCount > 0 {
                guard let unit = Self.unit(&reader), read(unit.type, unit.payload) else { return nil }
            }
        }
    }

    /// Reads a unit, section 5.3.
    private static func unit(_ reader: inout ByteReader) -> (type: Int, payload: Data)? {
        guard let header = reader.bigEndian(UInt8.self) else { return nil }
        if header & 4 != 0, reader.bytes(1) == nil { return nil }
        let byteCount = header & 2 == 0 ? reader.remainingByteCount : variable(&reader)
        guard let byteCount, let payload = reader.bytes(byteCount) else { return nil }
        return (Int(header >> 3 & 15), payload)
    }

    /// Reads an integer of seven bits a byte, section 4.10.5.
    private static func variable(_ reader: inout ByteReader) -> Int? {
        var value = 0
        for index in 0..<8 {
            guard let byte = reader.bigEndian(UInt8.self) else { return nil }
            value |= Int(byte & 0x7F) << (index * 7)
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }

    private mutating func read(_ type: Int, _ payload: Data) -> Bool {
        switch type {
        case 1:
            guard let header = SequenceHeader(payload) else { return false }
            sequence = header
            size = PixelSize(
                width: max(size?.width ?? 0, header.size.width),
                height: max(size?.height ?? 0, header.size.height)
            )
        // A frame in one unit, or its header.
        case 3, 6:
            frameCount += 1
            if sequence?.overridesSize(payload) != false { hasOwnFrameSize = true }
        default: break
        }
        return true
    }
}

/// A sequence header (section 5.5), as far as the header of a frame needs it.
private struct SequenceHeader {
    private(set) var size = PixelSize(width: 0, height: 0)
    private var isReduced = false
    /// The bits of the time in a frame header; `nil` without one.
    private var timeBitCount: Int?
    private var delayBitCount: Int?
    private var identifierBitCount: Int?
    /// 0 and 1 apply to all frames; 2 means that each frame header decides.
    private var screenContent = 2
    private var integerMotion = 2

    init?(_ payload: Data) {
        var bits = CodedBits(payload)
        bits.skip(4)
        guard let isReduced = bits.flag(), readOperatingPoints(&bits, isReduced: isReduced),
            let widthBits = bits.integer(4), let heightBits = bits.integer(4),
            let width = bits.integer(widthBits + 1), let height = bits.integer(heightBits + 1)
        else { return nil }
        self.isReduced = isReduced
        size = PixelSize(width: width + 1, height: height + 1)
        guard isReduced || readTools(&bits) else { return nil }
    }

    private mutating func readOperatingPoints(_ bits: inout CodedBits, isReduced: Bool) -> Bool {
        if isReduced {
            bits.skip(5)
            return true
        }
        guard let hasTiming = bits.flag(), !hasTiming || readTiming(&bits) else { return false }
        guard let hasDisplayDelay = bits.flag(), let last = bits.integer(5) else { return false }
        for _ in 0...last {
            bits.skip(12)
            guard let level = bits.integer(5) else { return false }
            if level > 7 { bits.skip(1) }
            if let delayBitCount {
                guard let isThere = bits.flag() else { return false }
                if isThere { bits.skip(2 * delayBitCount + 1) }
            }
            if hasDisplayDelay {
                guard let isThere = bits.flag() else { return false }
                if isThere { bits.skip(4) }
            }
        }
        return true
    }

    private mutating func readTiming(_ bits: inout CodedBits) -> Bool {
        bits.skip(64)
        guard let isEqual = bits.flag(), !isEqual || bits.exponential() != nil, let hasModel = bits.flag()
        else { return false }
        guard hasModel else { return true }
        guard let delay = bits.integer(5) else { return false }
        bits.skip(32 + 5)
        guard let time = bits.integer(5) else { return false }
        delayBitCount = delay + 1
        if !isEqual { timeBitCount = time + 1 }
        return true
    }

    private mutating func readTools(_ bits: inout CodedBits) -> Bool {
        guard let hasIdentifiers = bits.flag() else { return false }
        if hasIdentifiers {
            guard let delta = bits.integer(4), let additional = bits.integer(3) else { return false }
            identifierBitCount = delta + 2 + additional + 1
        }
        bits.skip(3 + 4)
        guard let hasOrder = bits.flag() else { return false }
        if hasOrder { bits.skip(2) }
        guard let choosesContent = bits.flag() else { return false }
        if !choosesContent {
            guard let all = bits.integer(1) else { return false }
            screenContent = all
        }
        guard screenContent > 0 else { return true }
        guard let choosesMotion = bits.flag() else { return false }
        if !choosesMotion {
            guard let all = bits.integer(1) else { return false }
            integerMotion = all
        }
        return true
    }

    /// Returns whether a frame header (section 5.9.2) states another size; `nil` if it is truncated.
    func overridesSize(_ payload: Data) -> Bool? {
        guard !isReduced else { return false }
        var bits = CodedBits(payload)
        guard let repeats = bits.flag() else { return nil }
        guard !repeats else { return false }
        guard let type = bits.integer(2), let isShown = bits.flag() else { return nil }
        if isShown { bits.skip(timeBitCount ?? 0) } else { bits.skip(1) }
        let (isKey, isSwitch) = (type == 0, type == 3)
        guard !isSwitch else { return true }
        if !(isKey && isShown) { bits.skip(1) }
        bits.skip(1)
        guard let content = screenContent == 2 ? bits.integer(1) : screenContent else { return nil }
        if content == 1, integerMotion == 2 { bits.skip(1) }
        bits.skip(identifierBitCount ?? 0)
        return bits.flag()
    }
}
