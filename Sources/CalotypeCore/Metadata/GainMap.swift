/// The gain map of an image of standard range: by how much screens of high range show each part brighter.
///
/// Carried by ``ImageMetadata``, so it follows its image through a pipeline. Equal only to itself.
public final class GainMap: Sendable {
    /// The pixels of the map, upright, in any size; their levels are the map's own, not colours.
    package let image: Image

    /// The side of the map in the file as a fraction of that of its image; at most 1.
    package let scale: Double

    /// The meaning of the levels.
    package let parameters: GainMapParameters

    package init(image: Image, scale: Double, parameters: GainMapParameters) {
        self.image = image
        self.scale = scale
        self.parameters = parameters
    }
}

extension GainMap: Hashable {
    /// Returns whether both are the same object.
    public static func == (left: GainMap, right: GainMap) -> Bool { left === right }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The parameters of a gain map, as Adobe's XMP names them, and those of ISO 21496-1 as bytes.
package struct GainMapParameters: Hashable, Sendable {
    /// One number, or one for each channel, by the name of the property.
    package var values: [String: [Double]]

    /// The payload of the segment of ISO 21496-1 after its identifier; empty without one.
    package var standard: [UInt8]

    package init(values: [String: [Double]] = [:], standard: [UInt8] = []) {
        self.values = values
        self.standard = standard
    }
}
