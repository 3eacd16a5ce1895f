import CalotypeCodecs
import CalotypeCore

/// A transform that libvips computes.
protocol VipsTransform: NamedTransform {
    /// Adds the transform's operations to a picture, checking sizes before any pixel is made.
    ///
    /// - Parameter picture: Gray, red–green–blue, or with alpha that is not multiplied in; 8 bits a band.
    /// - Returns: The same kind of picture, 8 bits a band.
    /// - Throws: ``TransformError``, or `CodecFailure`.
    func applied(to picture: VipsPicture) throws -> VipsPicture
}

extension VipsTransform {
    /// Transforms an image or one frame.
    ///
    /// - Throws: ``TransformError``.
    public func apply(to image: Image) throws -> Image {
        try validate()
        return try image.computed { try applied(to: $0) }
    }
}

extension Image {
    /// What libvips makes of the image, or of its first frame.
    ///
    /// - Throws: ``TransformError``, or what `operations` throws but for `CodecFailure`.
    func computed(_ operations: (VipsPicture) throws -> VipsPicture) throws -> Image {
        do {
            return try operations(try VipsPicture(self)).image(like: self)
        } catch let failure as CodecFailure {
            throw TransformError(failure)
        }
    }
}

extension TransformError {
    /// What C reported.
    init(_ failure: CodecFailure) {
        let code: Code =
            if failure.isOutOfMemory { .outOfMemory } else if failure.isUnsupported {
                .unsupportedFeature
            } else {
                .libraryFailure
            }
        self.init(code, detail: failure.text)
    }

    /// Runs what fails for want of memory, or because it is told to end.
    static func rethrowing<Value>(_ body: () throws(DecodeError) -> Value) throws(TransformError) -> Value {
        do throws(DecodeError) {
            return try body()
        } catch {
            let code = error.code == .outOfMemory ? Code.outOfMemory : .libraryFailure
            throw TransformError(code, detail: error.detail)
        }
    }

    /// A property that makes no sense.
    static func invalid(_ detail: String) -> TransformError {
        TransformError(.invalidParameter, detail: detail)
    }
}
