/// How colours that are laid on a picture, the source, go together with the picture, the destination.
///
/// The first nine are the operators of Porter and Duff: they say what of each is left by alpha alone. The
/// others compute a colour of both where both are; with channels *s* and *d* from 0 to 1.
///
/// - SeeAlso: W3C Compositing and Blending Level 1, sections 9 and 10.
public enum BlendMode: String, CaseIterable, Hashable, Sendable, Codable {
    /// The source in front of the picture.
    case sourceOver
    /// The source where the picture is; nothing elsewhere.
    case sourceIn
    /// The source where the picture is not.
    case sourceOut
    /// The source in front of the picture, where the picture is.
    case sourceAtop
    /// The picture in front of the source.
    case destinationOver
    /// The picture where the source is; nothing elsewhere.
    case destinationIn
    /// The picture where the source is not.
    case destinationOut
    /// The picture in front of the source, where the source is.
    case destinationAtop
    /// Each of both where the other is not.
    case xor
    /// The sum of both.
    case add
    /// Darker: *sd*.
    case multiply
    /// Lighter: *s* + *d* − *sd*.
    case screen
    /// ``multiply`` where the picture is dark, ``screen`` where it is light.
    case overlay
    /// The darker of both, channel by channel.
    case darken
    /// The lighter of both, channel by channel.
    case lighten
    /// Brightens the picture to show the source: *d* ÷ (1 − *s*), and white where *s* is 1.
    case colorDodge
    /// Darkens the picture to show the source: 1 − (1 − *d*) ÷ *s*, and black where *s* is 0.
    case colorBurn
    /// ``multiply`` where the source is dark, ``screen`` where it is light.
    case hardLight
    /// Darkens or lightens gently, by whether the source is dark or light.
    case softLight
    /// The distance of both: |*s* − *d*|.
    case difference
    /// As ``difference``, with less contrast: *s* + *d* − 2*sd*.
    case exclusion
}

extension BlendMode {
    /// Whether it is an operator of Porter and Duff.
    var isOfAlphaAlone: Bool {
        switch self {
        case .sourceOver, .sourceIn, .sourceOut, .sourceAtop, .xor: true
        case .destinationOver, .destinationIn, .destinationOut, .destinationAtop: true
        default: false
        }
    }

    /// How libvips calls it: a case of `VipsBlendMode`.
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
