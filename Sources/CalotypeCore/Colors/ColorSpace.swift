public import FoundationEssentials

/// The meaning of an image's pixel levels.
///
/// An ordinary decode returns ``sRGB``; a decode without colour conversion returns the space of the file.
public enum ColorSpace: Hashable, Sendable {
    /// sRGB, IEC 61966-2-1.
    case sRGB

    /// The space of an ICC profile; the bytes of the profile.
    case icc(Data)

    /// The space of code points of ITU-T H.273.
    ///
    /// - Parameters:
    ///   - primaries: The colours of red, green and blue, table 2.
    ///   - transfer: The transfer function from levels to light, table 3.
    case cicp(primaries: Int, transfer: Int)

    /// Display P3: the colours of DCI-P3 under D65, with the curve of sRGB.
    public static let displayP3 = ColorSpace.cicp(primaries: 12, transfer: 13)

    /// ITU-R BT.2100 with the perceptual quantizer: 10,000 cd/m² at the highest level.
    public static let rec2100PQ = ColorSpace.cicp(primaries: 9, transfer: 16)

    /// ITU-R BT.2100 with hybrid log-gamma.
    public static let rec2100HLG = ColorSpace.cicp(primaries: 9, transfer: 18)

    /// True if the levels are PQ or HLG; an ICC profile never counts as such here.
    public var isHighRange: Bool {
        guard case .cicp(_, let transfer) = self else { return false }
        return transfer == 16 || transfer == 18
    }
}

extension Image {
    /// The colour space of the pixels; ``ColorSpace/sRGB`` unless the decode skipped conversion.
    public var colorSpace: ColorSpace { metadata.colorSpace }
}
