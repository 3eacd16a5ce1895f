import CalotypeCore
import FoundationEssentials

/// A NAL unit of HEVC (ITU-T H.265 section 7.3.1).
struct HEVCUnit {
    let bytes: Data

    private static let parameterSet = 33
    /// Types up to this one are slices of a picture.
    private static let maxSliceType = 31

    private var head: [UInt8] { [UInt8](bytes.prefix(3)) }

    private var type: Int? { head.first.map { Int($0 >> 1 & 63) } }

    /// True if it belongs to the base layer; libde265 ignores the units of other layers.
    private var isInBaseLayer: Bool { head.count >= 2 && head[0] & 1 == 0 && head[1] >> 3 == 0 }

    /// True for a sequence parameter set of the base layer.
    var isParameterSet: Bool { type == Self.parameterSet && isInBaseLayer }

    /// True for a slice of a picture.
    var isSlice: Bool { head.count == 3 && isInBaseLayer && type.map { $0 <= Self.maxSliceType } ?? false }

    /// True for a slice of an independent picture that resets the decoder.
    var isRefresh: Bool { isSlice && type.map { (19...20).contains($0) } ?? false }

    /// True for a slice of a picture at which decoding can start.
    var isRandomAccess: Bool { isSlice && type.map { (16...23).contains($0) } ?? false }

    /// True for the first slice of a picture.
    var startsPicture: Bool { isSlice && head[2] & 0x80 != 0 }
}

/// The sizes in a sequence parameter set of HEVC (ITU-T H.265 section 7.3.2.2), independent of the boxes.
struct HEVCParameterSet {
    /// The size of the sample grid, which the decoder allocates.
    let codedSize: PixelSize
    /// The size of the picture, the part within the conformance window; may be empty.
    let size: PixelSize

    /// Reads a parameter set; fails if it ends before the sizes.
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

    /// Reads the part outside the conformance window, in samples of chroma.
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
