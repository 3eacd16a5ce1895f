internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeTransforms

extension WorkSize {
    /// Returns the size with the overlays of a recipe, which are decoded and scaled during the transforms.
    func adding(overlaysOf recipe: DecodeRecipe, for info: ImageInfo) -> WorkSize {
        guard let byteCount = recipe.decodePlan(for: info)?.overlayByteCount, byteCount > 0 else {
            return self
        }
        // Three copies of 4 bytes a pixel; a pixel takes twice the time of one of JPEG, as in most formats.
        let isLarge = isLarge || byteCount / 6 > 24_000_000
        return WorkSize(byteCount: self.byteCount + byteCount, isLarge: isLarge)
    }
}
