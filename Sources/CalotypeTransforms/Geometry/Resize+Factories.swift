public import CalotypeCore

extension TransformChain {
    /// Resizes an image to the largest size of the same proportions within a box.
    ///
    /// In all resizes the limiting side is exact, and the other is rounded to the nearest pixel and is at
    /// least 1. Transparent pixels do not contribute colour.
    ///
    /// - Parameters:
    ///   - size: The box in pixels, at least 1 each side.
    ///   - enlarges: True to enlarge a smaller image; false by default.
    ///   - kernel: The interpolation; ``ResamplingKernel/lanczos3`` by default.
    ///   - light: The mixed values; `ResamplingLight.automatic` by default. No effect with
    ///     ``ResamplingKernel/nearest``.
    /// - Returns: The transform.
    public static func resize(
        toFit size: PixelSize,
        enlarges: Bool = false,
        kernel: ResamplingKernel = .lanczos3,
        light: ResamplingLight = .automatic
    ) -> TransformChain {
        resize(.fit(size), enlarges, kernel, light)
    }

    /// Resizes an image to the smallest size of the same proportions that covers a box; crops nothing.
    ///
    /// - Parameters:
    ///   - size: The box in pixels, at least 1 each side.
    ///   - enlarges: True to enlarge a smaller image; false by default.
    ///   - kernel: The interpolation; ``ResamplingKernel/lanczos3`` by default.
    ///   - light: The mixed values; `ResamplingLight.automatic` by default.
    /// - Returns: The transform.
    public static func resize(
        toFill size: PixelSize,
        enlarges: Bool = false,
        kernel: ResamplingKernel = .lanczos3,
        light: ResamplingLight = .automatic
    ) -> TransformChain {
        resize(.fill(size), enlarges, kernel, light)
    }

    /// Resizes an image to a width; the height is proportional.
    ///
    /// - Parameters:
    ///   - width: Pixels in a row, at least 1.
    ///   - enlarges: True to enlarge a smaller image; false by default.
    ///   - kernel: The interpolation; ``ResamplingKernel/lanczos3`` by default.
    ///   - light: The mixed values; `ResamplingLight.automatic` by default.
    /// - Returns: The transform.
    public static func resize(
        toWidth width: Int,
        enlarges: Bool = false,
        kernel: ResamplingKernel = .lanczos3,
        light: ResamplingLight = .automatic
    ) -> TransformChain {
        resize(.width(width), enlarges, kernel, light)
    }

    /// Resizes an image to a height; the width is proportional.
    ///
    /// - Parameters:
    ///   - height: Rows, at least 1.
    ///   - enlarges: True to enlarge a smaller image; false by default.
    ///   - kernel: The interpolation; ``ResamplingKernel/lanczos3`` by default.
    ///   - light: The mixed values; `ResamplingLight.automatic` by default.
    /// - Returns: The transform.
    public static func resize(
        toHeight height: Int,
        enlarges: Bool = false,
        kernel: ResamplingKernel = .lanczos3,
        light: ResamplingLight = .automatic
    ) -> TransformChain {
        resize(.height(height), enlarges, kernel, light)
    }

    /// Stretches an image to exactly a size; the proportions may change.
    ///
    /// - Parameters:
    ///   - size: Width and height in pixels, at least 1 each, at most 1,000,000.
    ///   - kernel: The interpolation; ``ResamplingKernel/lanczos3`` by default.
    ///   - light: The mixed values; `ResamplingLight.automatic` by default.
    /// - Returns: The transform. Like all that enlarge, it throws ``TransformError`` with `limitExceeded` if
    ///   the result would have more than 100 million pixels and more than the image.
    public static func resize(
        to size: PixelSize,
        kernel: ResamplingKernel = .lanczos3,
        light: ResamplingLight = .automatic
    ) -> TransformChain {
        resize(.stretch(size), true, kernel, light)
    }

    /// Resizes a wider image to a width; the height is proportional.
    ///
    /// - Parameter width: Pixels in a row, at least 1.
    /// - Returns: A chain of one step.
    public static func resize(width: Int) -> TransformChain { resize(toWidth: width) }

    /// Resizes a higher image to a height; the width is proportional.
    ///
    /// - Parameter height: Rows, at least 1.
    /// - Returns: A chain of one step.
    public static func resize(height: Int) -> TransformChain { resize(toHeight: height) }

    private static func resize(
        _ goal: Resize.Goal,
        _ enlarges: Bool,
        _ kernel: ResamplingKernel,
        _ light: ResamplingLight
    ) -> TransformChain {
        // Without mixing, all spellings are the same transform.
        let light = kernel == .nearest ? .automatic : light
        return TransformChain(Resize(goal: goal, enlarges: enlarges, kernel: kernel, light: light))
    }
}
