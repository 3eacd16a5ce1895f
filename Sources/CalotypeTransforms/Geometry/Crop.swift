import CalotypeCodecs
public import CalotypeCore

struct Crop: NamedTransform, ScalableTransform {
    enum Region: Hashable, Codable {
        case rect(PixelRect)
        /// A size, clamped to that of the image.
        case size(PixelSize, Gravity)
        /// The largest part with a ratio of width to height.
        case aspectRatio(Double, Gravity)
    }

    let region: Region

    var keepsDepth: Bool { true }

    /// Swift copies the rows.
    func usesLibrary(for size: PixelSize) -> Bool { false }

    var cacheIdentity: String {
        let identity = Identity("crop")
        return switch region {
        case .rect(let rect):
            identity.with("x", rect.x).with("y", rect.y).with("size", rect.size).text
        case .size(let size, let gravity):
            identity.with("size", size).with("gravity", gravity.rawValue).text
        case .aspectRatio(let ratio, let gravity):
            identity.with("aspectRatio", ratio).with("gravity", gravity.rawValue).text
        }
    }

    func validate() throws(TransformError) {
        switch region {
        case .rect(let rect):
            try rect.size.checkSides(of: "crop")
        case .size(let size, _):
            try size.checkSides(of: "crop")
        case .aspectRatio(let ratio, _):
            guard ratio.isFinite, ratio > 0 else {
                throw .invalid("crop aspect ratio \(ratio) is invalid; use a finite number above 0")
            }
        }
    }

    func resultSize(of size: PixelSize) throws(TransformError) -> PixelSize {
        try rect(in: size).size
    }

    func scaled(from size: PixelSize, to newSize: PixelSize) throws(TransformError) -> any ScalableTransform {
        Crop(region: .rect(try rect(in: size).scaled(from: size, to: newSize)))
    }

    func apply(to image: Image) throws -> Image {
        try validate()
        let rect = try rect(in: image.size)
        guard rect.size != image.size else { return image.firstFrame }
        return try TransformError.rethrowing { () throws(DecodeError) in
            try image.croppedPixels(x: rect.x, y: rect.y, to: rect.size)
        }
    }

    /// Returns the retained part of an image, which is not empty.
    private func rect(in size: PixelSize) throws(TransformError) -> PixelRect {
        switch region {
        case .rect(let rect):
            guard let part = rect.clipped(to: size) else {
                throw TransformError(.emptyResult, detail: "the crop \(rect) is outside the image, \(size)")
            }
            return part
        case .size(let part, let gravity):
            return PixelRect(part.clamped(to: size), in: size, gravity: gravity)
        case .aspectRatio(let ratio, let gravity):
            return PixelRect(size.largestPart(ofAspectRatio: ratio), in: size, gravity: gravity)
        }
    }
}

extension PixelSize {
    /// Returns the size with each side at most that of `size`.
    func clamped(to size: PixelSize) -> PixelSize {
        PixelSize(width: min(width, size.width), height: min(height, size.height))
    }

    /// Returns the largest part of a ratio; one side is unchanged, the other is rounded to the nearest pixel,
    /// at least 1.
    fileprivate func largestPart(ofAspectRatio ratio: Double) -> PixelSize {
        if ratio > Double(width) / Double(height) {
            return PixelSize(width: width, height: max(1, Int((Double(width) / ratio).rounded())))
        }
        return PixelSize(width: max(1, Int((Double(height) * ratio).rounded())), height: height)
    }

    func checkSides(of what: String) throws(TransformError) {
        guard !isEmpty else { throw .invalid("\(what) to \(self): use sides of at least 1 pixel") }
    }
}

extension TransformChain {
    /// Crops to a rectangle.
    ///
    /// The parts of the rectangle outside the image are ignored.
    ///
    /// - Parameter rect: The rectangle in pixels of the image at this step; its sides are at least 1.
    /// - Returns: The transform, which throws ``TransformError`` with `emptyResult` if the rectangle lies
    ///   entirely outside the image.
    public static func crop(to rect: PixelRect) -> TransformChain {
        TransformChain(Crop(region: .rect(rect)))
    }

    /// Crops to a size.
    ///
    /// A side longer than that of the image is clamped to it.
    ///
    /// - Parameters:
    ///   - size: Width and height in pixels, at least 1 each.
    ///   - gravity: The retained part; the middle by default.
    /// - Returns: The transform.
    public static func crop(to size: PixelSize, gravity: Gravity = .center) -> TransformChain {
        TransformChain(Crop(region: .size(size, gravity)))
    }

    /// Crops to the largest part with an aspect ratio.
    ///
    /// One side is unchanged, the other is rounded to the nearest pixel and is at least 1.
    ///
    /// - Parameters:
    ///   - ratio: Width divided by height, such as 16.0 / 9; above 0.
    ///   - gravity: The retained part; the middle by default.
    /// - Returns: The transform.
    public static func crop(toAspectRatio ratio: Double, gravity: Gravity = .center) -> TransformChain {
        TransformChain(Crop(region: .aspectRatio(ratio, gravity)))
    }
}
