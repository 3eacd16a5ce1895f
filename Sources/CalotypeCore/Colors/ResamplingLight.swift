/// The values that a resize mixes: amounts of light, or the levels of the file.
///
/// The mean of black and white is level 188 in linear light, which is as bright from afar as the pixels that
/// it replaces, and level 128 if levels are mixed, which is darker.
public enum ResamplingLight: String, Hashable, Sendable, CaseIterable, Codable {
    /// Linear light for photographs that become smaller, levels for graphics and text, and for enlarging.
    ///
    /// The format decides what is a photograph: all except PNG, GIF, BMP, ICO, SVG and lossless WebP. In
    /// linear light thin dark text on a bright ground becomes pale, and white text on black gets halos.
    /// Levels of PQ and HLG are mixed as they are.
    case automatic
    /// Linear light, by the curve of sRGB.
    case linear
    /// Levels as they are encoded (gamma), as browsers and most image libraries do.
    case encoded
}

extension ResamplingLight {
    /// The formats of drawings, screenshots and text.
    private static let graphics: Set<ImageFormat> = [.png, .gif, .bmp, .ico, .svg]

    /// Returns whether a resize mixes linear light.
    ///
    /// - Parameters:
    ///   - metadata: The metadata of the image, whose ``ImageMetadata/light`` counts if this is automatic.
    ///   - format: The format of the image; `nil` for one created in memory, which counts as a photograph.
    ///   - enlarges: True if a side grows.
    /// - Returns: Whether it does.
    package func isLinear(for metadata: ImageMetadata, _ format: ImageFormat?, enlarges: Bool) -> Bool {
        switch self == .automatic ? metadata.light : self {
        case .linear: true
        case .encoded: false
        case .automatic:
            !enlarges && !metadata.colorSpace.isHighRange && !(format.map(Self.graphics.contains) ?? false)
        }
    }
}
