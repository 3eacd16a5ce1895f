import CalotypeCodecs
import CalotypeCore

/// Converts the colours to sRGB, before a transform that requires it.
struct StandardColors: NamedTransform {
    var cacheIdentity: String { Identity("standardColors").text }

    var keepsDepth: Bool { true }

    func apply(to image: Image) throws -> Image {
        try TransformError.rethrowing { () throws(DecodeError) in try image.firstFrame.convertedToSRGB() }
    }
}

extension TransformMessage {
    /// Whether the colours of the result are sRGB, whatever those of the image.
    package var convertsToSRGB: Bool { steps.contains { $0 is StandardColors } }
}
