import CalotypeCore
import FoundationEssentials

/// A NAL unit of HEVC (ITU-T H.265 section 7.3.1).
struct HEVCUnit {
    let bytes: Data

    private static let parameterSet = 33
    /// The types below are slices of a picture.
    private static let sliceTypeMax = 31

    private var head: [UInt8] { [UInt8](bytes.prefix(3)) }

    private var type: Int? { head.first.map { Int($0 >> 1 & 63) } }

    /// Whether it belongs to the picture itself; libde265 leaves out what only other layers need.
    private var isInBaseLayer: Bool { head.count >= 2 && head[0] & 1 == 0 && head[1] >> 3 == 0 }

    /// Whether it is a sequence parameter set that the picture may be decoded with.
    var isParameterSet: Bool { type == Self.parameterSet && isInBaseLayer }

    /// Whether it is a part of a picture.
    var isSlice: Bool { head.count == 3 && isInBaseLayer && type.map { $0 <= Self.sliceTypeMax } ?? false }

    /// Whether it is a part of a picture that stands by itself, and forgets all before it.
    var isRefresh: Bool { isSlice && type.map { (19...20).contains($0) } ?? false }

    /// Whether it is a part of a picture with which decoding can start.
    var isRandomAccess: Bool { isSlice && type.map { (16...23).contains($0) } ?? false }

    /// Whether it is the first slice of a picture.
    var startsPicture: Bool { isSlice && head[2] & 0x80 != 0 }
}

/// The sizes that a sequence parameter set of HEVC states (ITU-T H.265 section 7.3.2.2), whatever the boxes
/// say.
struct HEVCParameterSet {
    /// The sample grid, for which the decoder makes room.
    let codedSize: PixelSize
    /// What the conformance window leaves of it: the picture, which may be empty.
    let size: PixelSize

    /// Reads a unit that is a parameter set; fails where it ends before the sizes.
    init?(_ unit: HEVCUnit) {
        var bits = CodedBits(unit: unit.bytes.dropFirst(2))
        bits.skip(4)
        guard let subLayerCount = bits.integer(3) else { return nil }
        bits.skip(1)
        Self.skipProfile(&bits, subLayerCount: subLayerCount)
        guard bits.exponential() != nil, let chroma = bits.exponential() else { return nil }
        let isInPlanes = chroma == 3 ? bits.flag() : false
        guard isInPlanes == false, let width = bits.exponential(), let height = bits.exponential(),
            let crop = Self.crop(&bits)
        else { return nil }
        codedSize = PixelSize(width: width, height: height)
        size = PixelSize(
            width: max(0, width - crop.across * (chroma == 1 || chroma == 2 ? 2 : 1)),
            height: max(0, height - crop.down * (chroma == 1 ? 2 : 1))
        )
    }

    /// What the conformance window takes away, in samples of chroma.
    private static func crop(_ bits: inout CodedBits) -> (across: Int, down: Int)? {
        guard let isThere = bits.flag() else { return nil }
        guard isThere else { return (0, 0) }
        let sides = (0..<4).compactMap { _ in bits.exponential() }
        return sides.count == 4 ? (sides[0] + sides[1], sides[2] + sides[3]) : nil
    }

    /// Section 7.3.3.
    private static func skipProfile(_ bits: inout CodedBits, subLayerCount: Int) {
        bits.skip(88 + 8)
        var skipped = 0
        for _ in 0..<subLayerCount {
            guard let hasProfile = bits.integer(1), let hasLevel = bits.integer(1) else { return }
            skipped += hasProfile * 88 + hasLevel * 8
        }
        if subLayerCount > 0 { bits.skip(2 * (8 - subLayerCount)) }
        bits.skip(skipped)
    }
}
