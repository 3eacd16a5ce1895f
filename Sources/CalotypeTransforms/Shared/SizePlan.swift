package import CalotypeCore

/// The sizes of an image along a chain of transforms, known before any pixel is computed.
package struct SizePlan: Sendable {
    /// The pixels of the largest image that a step receives or returns.
    package let maxPixelCount: Int

    /// The leading transforms, for which that is the maximum.
    package let leading: TransformChain

    /// The transforms after one whose result depends on the pixels; empty if they enlarge nothing.
    package let rest: TransformChain
}

extension TransformChain {
    /// Returns the sizes of an image along the chain, as far as they are known.
    ///
    /// A step that fails ends the plan: the error is reported when the chain is applied.
    ///
    /// - Parameters:
    ///   - size: The size of the image; not empty.
    ///   - isDrawn: True for a vector source.
    /// - Returns: The sizes.
    package func sizePlan(from size: PixelSize, isDrawn: Bool = false) -> SizePlan {
        var (size, maxPixelCount) = (size, size.pixelCount)
        var (leading, pending): ([any ImageTransform], ArraySlice<any ImageTransform>) = ([], steps[...])
        do {
            while let step = pending.popFirst() {
                if let sized = step as? any SizedTransform {
                    pending = (try sized.chain(for: size, isDrawn: isDrawn).steps + pending)[...]
                    continue
                }
                try step.validate()
                leading.append(step)
                if let step = step as? any SizeChanging {
                    let result = try step.resultSize(of: size)
                    try ResultLimit.check(result, of: size)
                    size = result
                    maxPixelCount = max(maxPixelCount, size.pixelCount)
                } else if step.hidesItsSize, pending.contains(where: \.mayEnlarge) {
                    return SizePlan(
                        maxPixelCount: maxPixelCount,
                        leading: like(leading),
                        rest: like(Array(pending))
                    )
                }
            }
        } catch {
            return SizePlan(maxPixelCount: maxPixelCount, leading: self, rest: [])
        }
        return SizePlan(maxPixelCount: maxPixelCount, leading: self, rest: [])
    }

    /// Returns a chain of other steps that treats animations alike.
    private func like(_ steps: [any ImageTransform]) -> TransformChain {
        let chain = TransformChain(steps: steps)
        return skipsAnimations ? chain.exceptAnimations : chain
    }
}

extension ImageTransform {
    /// True if the size of the result depends on the pixels, or on code of the application.
    fileprivate var hidesItsSize: Bool { self is any PartFinding || !(self is any NamedTransform) }

    /// True if the result may be larger than the image.
    fileprivate var mayEnlarge: Bool {
        self is any SizedTransform || self is any SizeChanging && !(self is any ScalableTransform)
    }
}
