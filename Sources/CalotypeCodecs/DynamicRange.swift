/// How much brighter than the white of a page the pixels of an image can be.
///
/// A decode that converts to sRGB maps a high range to the standard one, as ITU-R BT.2390 section 5.4.1 does;
/// one that does not gives the levels as they are stored.
///
/// - SeeAlso: ITU-R BT.2100.
public enum DynamicRange: String, Hashable, Sendable {
    /// No brighter.
    case standard
    /// The perceptual quantizer of SMPTE ST 2084: up to 10,000 cd/m², white of a page at 203.
    case pq
    /// Hybrid log-gamma: up to five times as bright on a screen of 1,000 cd/m².
    case hlg

    /// Whether there is more than a screen of standard range shows.
    public var isHigh: Bool { self != .standard }

    /// By the code of ITU-T H.273 table 3.
    init(transfer: UInt32) {
        switch transfer {
        case 16: self = .pq
        case 18: self = .hlg
        default: self = .standard
        }
    }
}
