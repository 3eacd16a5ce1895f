/// The brightness range of an image's pixels, relative to the white of a page.
///
/// A decode that converts to sRGB maps a high range to the standard one, as defined by ITU-R BT.2390 section
/// 5.4.1; one that does not returns the levels as stored.
///
/// - SeeAlso: ITU-R BT.2100.
public enum DynamicRange: String, Hashable, Sendable {
    /// No brighter than the white of a page.
    case standard
    /// The perceptual quantizer of SMPTE ST 2084: up to 10,000 cd/m², with the white of a page at 203.
    case pq
    /// Hybrid log-gamma: up to five times as bright, on a screen of 1,000 cd/m².
    case hlg

    /// Whether the range exceeds that of a standard screen.
    public var isHigh: Bool { self != .standard }

    /// Creates a range from a code of ITU-T H.273 table 3.
    init(transfer: UInt32) {
        switch transfer {
        case 16: self = .pq
        case 18: self = .hlg
        default: self = .standard
        }
    }
}
