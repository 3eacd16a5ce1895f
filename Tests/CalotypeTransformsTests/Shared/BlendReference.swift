import CalotypeCore
import CalotypeTransforms

/// The formulae of the W3C, in double precision and pixel by pixel.
///
/// For an entirely white or black source, dodging and burning are those of PDF 1.7.
///
/// - SeeAlso: Compositing and Blending Level 1, sections 9.1 and 10.1.
enum BlendReference {
    /// The expected unrounded RGBA channels of a tinted pixel; an invisible colour is black.
    static func tint(_ pixel: [UInt8], _ color: RGBAColor, _ blend: BlendMode) -> [Double] {
        let source = [color.red, color.green, color.blue, color.alpha]
        guard !isOfAlphaAlone(blend) else { return composite(source, on: pixel, blend) }
        // Alpha is unchanged: composed as on an opaque pixel.
        let colors = composite(source, on: Array(pixel.prefix(3)), blend).prefix(3)
        return colors + [pixel.count == 4 ? Double(pixel[3]) : 255]
    }

    /// The expected unrounded RGBA channels of one pixel on another; an invisible colour is black.
    static func composite(_ source: [UInt8], on destination: [UInt8], _ blend: BlendMode) -> [Double] {
        let (s, d) = (fractions(source), fractions(destination))
        let (cover, base) = (s[3], d[3])
        let parts: [(Double, Double)]
        if isOfAlphaAlone(blend) {
            let (left, right) = shares(blend, cover, base)
            parts = (0..<3).map { (cover * left * s[$0] + base * right * d[$0], cover * left + base * right) }
        } else {
            parts = (0..<3).map { channel in
                let both = cover * base * mixed(blend, s[channel], d[channel])
                let one = cover * (1 - base) * s[channel] + (1 - cover) * base * d[channel]
                return (both + one, cover + base - cover * base)
            }
        }
        let alpha = parts[0].1
        return parts.map { alpha > 0 ? $0.0 / alpha * 255 : 0 } + [alpha * 255]
    }

    /// The maximum channel difference, without invisible colours.
    static func difference(_ result: [UInt8], _ expected: [Double]) -> Double {
        zip(result, expected).enumerated().map { index, pair in
            let isSeen = index % 4 == 3 || expected[index | 3] > 0
            return isSeen ? abs(Double(pair.0) - pair.1) : 0
        }.max() ?? 255
    }

    static func isOfAlphaAlone(_ blend: BlendMode) -> Bool { shares(blend, 1, 1) != (-1, -1) }

    /// Channels in 0...1, with alpha.
    private static func fractions(_ pixel: [UInt8]) -> [Double] {
        (pixel.count == 4 ? pixel : pixel + [255]).map { Double($0) / 255 }
    }

    /// The remaining fractions of source and destination after Porter and Duff.
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
        case .colorDodge: s == 1 ? 1 : min(1, d / (1 - s))
        case .colorBurn: s == 0 ? 0 : 1 - min(1, (1 - d) / s)
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
