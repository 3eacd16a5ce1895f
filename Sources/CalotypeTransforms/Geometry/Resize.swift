import CalotypeCodecs
import CalotypeCore

/// Resizes an image: by this project's own code as a decode does, otherwise by `vips_resize`.
struct Resize: NamedTransform, SizeChanging {
    enum Goal: Hashable, Codable {
        case fit(PixelSize)
        case fill(PixelSize)
        case width(Int)
        case height(Int)
        case stretch(PixelSize)
    }

    let goal: Goal
    /// Whether a smaller image is enlarged; no effect for a stretch.
    var enlarges = true
    let kernel: ResamplingKernel
    var light = ResamplingLight.automatic

    var keepsDepth: Bool { true }

    /// True if the size changes; usually the decode has produced the right size already.
    func usesLibrary(for size: PixelSize) -> Bool {
        do throws(TransformError) { return try resultSize(of: size) != size } catch { return false }
    }

    var cacheIdentity: String {
        let identity = Identity("resize", version: 2)
        let goal =
            switch goal {
            case .fit(let size): identity.with("fit", size).with("enlarges", enlarges)
            case .fill(let size): identity.with("fill", size).with("enlarges", enlarges)
            case .width(let width): identity.with("width", width).with("enlarges", enlarges)
            case .height(let height): identity.with("height", height).with("enlarges", enlarges)
            case .stretch(let size): identity.with("stretch", size)
            }
        return goal.with("kernel", kernel.rawValue).with("light", light.rawValue).text
    }

    func validate() throws(TransformError) {
        try goal.size.checkSides(of: "resize")
        guard case .stretch(let size) = goal, max(size.width, size.height) > ResultLimit.maxSide else {
            return
        }
        throw TransformError(
            .limitExceeded,
            detail: "resize to \(size) pixels is too large; use sides of at most \(ResultLimit.maxSide)"
        )
    }

    func apply(to image: Image) throws -> Image {
        try validate()
        let size = try resultSize(of: image.size)
        guard size != image.size else { return image.firstFrame }
        let enlarges = size.width > image.size.width || size.height > image.size.height
        let mixesLight =
            kernel != .nearest && light.isLinear(for: image.metadata, image.format, enlarges: enlarges)
        if image.pixelFormat.isDeep || kernel == .lanczos3 && !enlarges {
            return try resampled(image, to: size, inLinearLight: mixesLight)
        }
        return try image.computed { try $0.resampled(to: size, kernel: kernel, inLinearLight: mixesLight) }
    }

    /// Resizes without libvips, as a decode does.
    private func resampled(
        _ image: Image,
        to size: PixelSize,
        inLinearLight: Bool
    ) throws(TransformError) -> Image {
        do throws(CodecFailure) {
            guard image.pixelFormat.isDeep else {
                return try Resampler.resize(image, to: size, light: inLinearLight ? .linear : .encoded)
            }
            return try DeepResampler.resize(
                image,
                to: size,
                kernel: DeepKernel(rawValue: kernel.rawValue) ?? .lanczos3,
                inLinearLight: inLinearLight
            )
        } catch {
            throw TransformError(error)
        }
    }

    /// Returns the size of the result for an image of `size` pixels.
    ///
    /// - Throws: ``TransformError`` with `limitExceeded`.
    /// - Precondition: The properties are valid.
    func resultSize(of size: PixelSize) throws(TransformError) -> PixelSize {
        let result = enlarges ? goal.scaled(size) : goal.reduced(size)
        try ResultLimit.check(result, of: size)
        return result
    }
}

extension Resize.Goal {
    /// The given sides, with 1 for an open one.
    fileprivate var size: PixelSize {
        switch self {
        case .fit(let size), .fill(let size), .stretch(let size): size
        case .width(let width): PixelSize(width: width, height: 1)
        case .height(let height): PixelSize(width: 1, height: height)
        }
    }

    /// The decode target for the same size, or for one that covers it; for results smaller than the source.
    ///
    /// - Precondition: All sides are at least 1.
    var decodeTarget: DecodeOptions.Target {
        switch self {
        case .fit(let size): .fit(PixelBox(size))
        case .fill(let size), .stretch(let size): .fill(PixelBox(size))
        case .width(let width): .fit(PixelBox(width: width))
        case .height(let height): .fit(PixelBox(height: height))
        }
    }

    /// Returns the size of the result, never enlarged.
    fileprivate func reduced(_ size: PixelSize) -> PixelSize {
        decodeTarget.resultSize(for: size)
    }

    fileprivate func scaled(_ size: PixelSize) -> PixelSize {
        let widthScale = Double(self.size.width) / Double(size.width)
        let heightScale = Double(self.size.height) / Double(size.height)
        let isByWidth: Bool
        switch self {
        case .stretch(let size): return size
        case .fit: isByWidth = widthScale < heightScale
        case .fill: isByWidth = widthScale > heightScale
        case .width: isByWidth = true
        case .height: isByWidth = false
        }
        guard (isByWidth ? widthScale : heightScale) > 1 else { return reduced(size) }
        return isByWidth ? size.enlarged(toWidth: self.size.width) : size.enlarged(toHeight: self.size.height)
    }
}

extension PixelSize {
    // The rounding rule of `PixelBox`, which never enlarges.
    fileprivate func enlarged(toWidth newWidth: Int) -> PixelSize {
        PixelSize(width: newWidth, height: Self.rounded(height, times: newWidth, over: width))
    }

    fileprivate func enlarged(toHeight newHeight: Int) -> PixelSize {
        PixelSize(width: Self.rounded(width, times: newHeight, over: height), height: newHeight)
    }

    private static func rounded(_ side: Int, times numerator: Int, over denominator: Int) -> Int {
        let exact = Double(side) * Double(numerator) / Double(denominator)
        // Larger values exceed all limits anyway.
        return exact < 1e15 ? Int(exact.rounded()) : Int.max
    }
}
