import CalotypeCore
import CalotypeTransforms

/// What the W3C's text gives, in double precision and pixel by pixel.
///
/// - SeeAlso: Compositing and Blending Level 1, sections 9.1 and 10.1.
enum BlendReference {
    /// The expected red, green, blue and alpha of a tinted pixel, not rounded; a colour that cannot be seen
    /// is black.
    static func tint(_ pixel: [UInt8], _ color: RGBAColor, _ blend: BlendMode) -> [Double] {
        let source = [color.red, color.green, color.blue].map { Double($0) / 255 }
        let alpha = Double(color.alpha) / 255
        let destination = pixel.prefix(3).map { Double($0) / 255 }
        let coverage = pixel.count == 4 ? Double(pixel[3]) / 255 : 1
        guard isOfAlphaAlone(blend) else {
            let colors = zip(source, destination).map { s, d in
                alpha * mixed(blend, s, d) + (1 - alpha) * d
            }
            return colors.map { $0 * 255 } + [coverage * 255]
        }
        let (sourceShare, destinationShare) = shares(blend, alpha, coverage)
        let (left, right) = (alpha * sourceShare, coverage * destinationShare)
        let total = left + right
        guard total > 0 else { return [0, 0, 0, 0] }
        return zip(source, destination).map { (left * $0 + right * $1) / total * 255 } + [total * 255]
    }

    /// The greatest difference of any channel, colours left out that cannot be seen.
    static func difference(_ result: [UInt8], _ expected: [Double]) -> Double {
        zip(result, expected).enumerated().map { index, pair in
            let isSeen = index % 4 == 3 || expected[index | 3] > 0
            return isSeen ? abs(Double(pair.0) - pair.1) : 0
        }.max() ?? 255
    }

    static func isOfAlphaAlone(_ blend: BlendMode) -> Bool { shares(blend, 1, 1) != (-1, -1) }

    /// The fractions of source and destination that are left, by Porter and Duff.
    private static func shares(_ blend: BlendMode, _ source: Double, _ destination: Double) -> (
        Double, Double
    ) {
        switch blend {
        case .sourceOver: (1, 1 - source)
        case .sourceIn: (destination, 0)
        case .sourceOut: (1 - destination, 0)
        case .sourceAtop: (destination, 1 - source)
        case .destinationOver: (1 - destination, 1)
        case .destinationIn: (0, source)
        case .destinationOut: (0, 1 - source)
        case .destinationAtop: (1 - destination, source)
        case .xor: (1 - destination, 1 - source)
        default: (-1, -1)
        }
    }

    private static func mixed(_ blend: BlendMode, _ s: Double, _ d: Double) -> Double {
        switch blend {
        case .add: min(1, s + d)
        case .multiply: s * d
        case .screen: s + d - s * d
        case .overlay: mixed(.hardLight, d, s)
        case .darken: min(s, d)
        case .lighten: max(s, d)
        case .colorDodge: d == 0 ? 0 : s == 1 ? 1 : min(1, d / (1 - s))
        case .colorBurn: d == 1 ? 1 : s == 0 ? 0 : 1 - min(1, (1 - d) / s)
        case .hardLight: s <= 0.5 ? d * 2 * s : mixed(.screen, 2 * s - 1, d)
        case .softLight: s <= 0.5 ? d - (1 - 2 * s) * d * (1 - d) : d + (2 * s - 1) * (curve(d) - d)
        case .difference: abs(s - d)
        case .exclusion: s + d - 2 * s * d
        default: .nan
        }
    }

    private static func curve(_ d: Double) -> Double {
        d <= 0.25 ? ((16 * d - 12) * d + 4) * d : d.squareRoot()
    }
}
