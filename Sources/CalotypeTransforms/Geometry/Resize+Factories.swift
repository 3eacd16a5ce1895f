public import CalotypeCore

extension TransformChain {
    /// Brings an image to the greatest size of the same proportions that lies within a box.
    ///
    /// The side that decides is exact, the other is rounded to the nearest pixel and is at least 1; so for
    /// all kinds of resize. What is transparent lends no colour.
    ///
    /// - Parameters:
    ///   - size: The box in pixels, at least 1 each side.
    ///   - enlarges: Whether an image that is smaller is made larger; it stays as it is unless set.
    ///   - kernel: How pixels are mixed; ``ResamplingKernel/lanczos3`` unless set.
    ///   - inLinearLight: Whether colours are mixed as light adds up (correct for gamma, and slower) and not
    ///     as their sRGB values; false unless set. Does nothing with ``ResamplingKernel/nearest``.
    /// - Returns: The transform.
    public static func resize(
        toFit size: PixelSize,
        enlarges: Bool = false,
        kernel: ResamplingKernel = .lanczos3,
        inLinearLight: Bool = false
    ) -> TransformChain {
        resize(.fit(size), enlarges, kernel, inLinearLight)
    }

    /// Brings an image to the least size of the same proportions that covers a box; nothing is cut off.
    ///
    /// - Parameters:
    ///   - size: The box in pixels, at least 1 each side.
    ///   - enlarges: Whether an image that is smaller is made larger; it stays as it is unless set.
    ///   - kernel: How pixels are mixed; ``ResamplingKernel/lanczos3`` unless set.
    ///   - inLinearLight: Whether colours are mixed as light adds up; false unless set.
    /// - Returns: The transform.
    public static func resize(
        toFill size: PixelSize,
        enlarges: Bool = false,
        kernel: ResamplingKernel = .lanczos3,
        inLinearLight: Bool = false
    ) -> TransformChain {
        resize(.fill(size), enlarges, kernel, inLinearLight)
    }

    /// Brings an image to a width; the height follows.
    ///
    /// - Parameters:
    ///   - width: Pixels in a row, at least 1.
    ///   - enlarges: Whether an image that is smaller is made larger; it stays as it is unless set.
    ///   - kernel: How pixels are mixed; ``ResamplingKernel/lanczos3`` unless set.
    ///   - inLinearLight: Whether colours are mixed as light adds up; false unless set.
    /// - Returns: The transform.
    public static func resize(
        toWidth width: Int,
        enlarges: Bool = false,
        kernel: ResamplingKernel = .lanczos3,
        inLinearLight: Bool = false
    ) -> TransformChain {
        resize(.width(width), enlarges, kernel, inLinearLight)
    }

    /// Brings an image to a height; the width follows.
    ///
    /// - Parameters:
    ///   - height: Rows, at least 1.
    ///   - enlarges: Whether an image that is smaller is made larger; it stays as it is unless set.
    ///   - kernel: How pixels are mixed; ``ResamplingKernel/lanczos3`` unless set.
    ///   - inLinearLight: Whether colours are mixed as light adds up; false unless set.
    /// - Returns: The transform.
    public static func resize(
        toHeight height: Int,
        enlarges: Bool = false,
        kernel: ResamplingKernel = .lanczos3,
        inLinearLight: Bool = false
    ) -> TransformChain {
        resize(.height(height), enlarges, kernel, inLinearLight)
    }

    /// Stretches an image to exactly a size, larger or smaller; its proportions become those of the size.
    ///
    /// - Parameters:
    ///   - size: Width and height in pixels, at least 1 each, at most 1,000,000.
    ///   - kernel: How pixels are mixed; ``ResamplingKernel/lanczos3`` unless set.
    ///   - inLinearLight: Whether colours are mixed as light adds up; false unless set.
    /// - Returns: The transform. Applied, it throws ``TransformError`` with `limitExceeded` where the result
    ///   would have more than 100 million pixels and more than the image; so for all that enlarge.
    public static func resize(
        to size: PixelSize,
        kernel: ResamplingKernel = .lanczos3,
        inLinearLight: Bool = false
    ) -> TransformChain {
        resize(.stretch(size), true, kernel, inLinearLight)
    }

    /// Makes an image as wide as that where it is wider; the height follows.
    ///
    /// - Parameter width: Pixels in a row, at least 1.
    /// - Returns: A chain of this one step.
    public static func resize(width: Int) -> TransformChain { resize(toWidth: width) }

    /// Makes an image as high as that where it is higher; the width follows.
    ///
    /// - Parameter height: Rows, at least 1.
    /// - Returns: A chain of this one step.
    public static func resize(height: Int) -> TransformChain { resize(toHeight: height) }

    private static func resize(
        _ goal: Resize.Goal,
        _ enlarges: Bool,
        _ kernel: ResamplingKernel,
        _ inLinearLight: Bool
    ) -> TransformChain {
        // Where nothing is mixed, there is no light to mix in: both spellings are one transform.
        let mixesLight = inLinearLight && kernel != .nearest
        return TransformChain(
            Resize(goal: goal, enlarges: enlarges, kernel: kernel, inLinearLight: mixesLight)
        )
    }
}
