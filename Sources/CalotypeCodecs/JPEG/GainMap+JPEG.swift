package import CalotypeCore
package import FoundationEssentials

extension CodecRegistry {
    /// Decodes the gain map of a JPEG, turned like its image; `nil` without one.
    ///
    /// A map that is damaged, animated, or larger than the image is ignored, as is its colour profile.
    func gainMap(of file: Data, for image: Image, options: DecodeOptions) -> GainMap? {
        guard let map = GainMapFile(in: file) else { return nil }
        do throws(DecodeError) {
            let (own, whole) = (
                try info(of: map.data, limits: options.limits), try info(of: file, limits: options.limits)
            )
            guard own.format == .jpeg, own.size.width <= whole.size.width,
                own.size.height <= whole.size.height
            else { return nil }
            let turn = image.metadata.isOrientationApplied ? image.metadata.orientation : .up
            let target = turn.applied(to: image.size)
            let decoded = try decode(
                map.data,
                options: DecodeOptions(
                    target: .fit(PixelBox(target)),
                    frames: .first,
                    limits: options.limits,
                    appliesOrientation: false,
                    convertsToSRGB: false
                )
            )
            // Without its metadata: the levels are not colours.
            let plain = Image(size: decoded.size, pixelFormat: decoded.pixelFormat, pixels: decoded.pixels)
            return GainMap(
                image: turn == .up ? plain : try plain.turnedPixels(as: turn),
                scale: Double(own.size.width) / Double(whole.size.width),
                parameters: map.parameters
            )
        } catch {
            // The image is right without its map.
            return nil
        }
    }
}

extension GainMap {
    /// Returns an encoded image with its gain map; the unchanged bytes if one of both is not a JPEG.
    ///
    /// - Parameters:
    ///   - file: The encoded image.
    ///   - encode: Encodes the map.
    /// - Returns: The joined file.
    /// - Throws: `EncodeError`.
    package func joined(
        to file: Data,
        encoding encode: (Image) throws(EncodeError) -> Data
    ) throws(EncodeError) -> Data {
        guard ImageFormat(sniffing: file) == .jpeg else { return file }
        return GainMapFile.joined(file, map: try encode(image), parameters) ?? file
    }
}
