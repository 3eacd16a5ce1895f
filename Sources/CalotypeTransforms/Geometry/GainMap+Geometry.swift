import CalotypeCodecs
package import CalotypeCore

extension TransformChain {
    /// Returns the gain map of an image for the result of this chain; `nil` if the chain does more than move
    /// pixels, or selects them by their content.
    ///
    /// The map is enlarged to the size of the image, transformed alike, and reduced to its own scale.
    ///
    /// - Parameters:
    ///   - map: The map of the image.
    ///   - size: The size of the image.
    ///   - resultSize: The size of the result.
    ///   - place: The place of transforms.
    /// - Returns: The map.
    package func gainMap(
        _ map: GainMap,
        of size: PixelSize,
        to resultSize: PixelSize,
        at place: (any TransformProcesses)?
    ) -> GainMap? {
        do {
            let steps = try resolvingFirst(for: size, isDrawn: false).steps
            guard steps.allSatisfy({ $0 is any GainMapTransform }) else { return nil }
            let whole = try TransformChain.resize(to: size, light: .encoded).apply(to: map.image, at: place)
            let moved = try TransformChain(steps: steps).apply(to: whole, at: place)
            guard moved.size == resultSize else { return nil }
            let own = PixelSize(
                width: max(1, Int((Double(resultSize.width) * map.scale).rounded())),
                height: max(1, Int((Double(resultSize.height) * map.scale).rounded()))
            )
            let image = try TransformChain.resize(to: own, light: .encoded).apply(to: moved, at: place)
            return GainMap(image: image, scale: map.scale, parameters: map.parameters)
        } catch {
            // The image is right without its map.
            return nil
        }
    }
}

/// A transform that moves pixels, wherever they are.
private protocol GainMapTransform: ImageTransform {}

extension Crop: GainMapTransform {}
extension Resize: GainMapTransform {}
extension Turn: GainMapTransform {}
extension Flip: GainMapTransform {}
extension Flatten: GainMapTransform {}
