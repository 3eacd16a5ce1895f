/// The blending of the source, which is laid on an image, with the image, the destination.
///
/// The first nine are the operators of Porter and Duff: alpha alone decides what remains of each. The others
/// compute a colour where both are present, with channels *s* and *d* from 0 to 1.
///
/// - SeeAlso: W3C Compositing and Blending Level 1, sections 9 and 10.
public enum BlendMode: String, CaseIterable, Hashable, Sendable, Codable {
    /// The source in front of the image.
    case sourceOver
    /// The source inside the image; transparent elsewhere.
    case sourceIn
    /// The source outside the image.
    case sourceOut
    /// The source in front of the image, inside the image.
    case sourceAtop
    /// The image in front of the source.
    case destinationOver
    /// The image inside the source; transparent elsewhere.
    case destinationIn
    /// The image outside the source.
    case destinationOut
    /// The image in front of the source, inside the source.
    case destinationAtop
    /// Both, except where they overlap.
    case xor
    /// The sum of both.
    case add
    /// Darker: *sd*.
    case multiply
    /// Lighter: *s* + *d* − *sd*.
    case screen
    /// ``multiply`` for dark parts of the image, ``screen`` for light parts.
    case overlay
    /// The darker of both, for each channel.
    case darken
    /// The lighter of both, for each channel.
    case lighten
    /// Brightens the image to show the source: *d* ÷ (1 − *s*), and white if *s* is 1.
    case colorDodge
    /// Darkens the image to show the source: 1 − (1 − *d*) ÷ *s*, and black if *s* is 0.
    case colorBurn
    /// ``multiply`` for dark parts of the source, ``screen`` for light parts.
    case hardLight
    /// Darkens or lightens gently, depending on the lightness of the source.
    case softLight
    /// The absolute difference: |*s* − *d*|.
    case difference
    /// Like ``difference``, with less contrast: *s* + *d* − 2*sd*.
    case exclusion
}

extension BlendMode {
    /// True for an operator of Porter and Duff.
    var isOfAlphaAlone: Bool {
        switch self {
        case .sourceOver, .sourceIn, .sourceOut, .sourceAtop, .xor: true
        case .destinationOver, .destinationIn, .destinationOut, .destinationAtop: true
        default: false
        }
    }

    /// The name in libvips: a case of `VipsBlendMode`.
    var vipsName: String {
        switch self {
        case .sourceOver: "over"
        case .sourceIn: "in"
        case .sourceOut: "out"
        case .sourceAtop: "atop"
        case .destinationOver: "dest-over"
        case .destinationIn: "dest-in"
        case .destinationOut: "dest-out"
        case .destinationAtop: "dest-atop"
        case .colorDodge: "colour-dodge"
        case .colorBurn: "colour-burn"
        case .hardLight: "hard-light"
        case .softLight: "soft-light"
        case .xor, .add, .multiply, .screen, .overlay, .darken, .lighten, .difference, .exclusion: rawValue
        }
    }
}
