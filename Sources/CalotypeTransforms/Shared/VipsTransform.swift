import CalotypeCodecs
import CalotypeCore

/// A transform that libvips computes.
protocol VipsTransform: NamedTransform {
    /// Adds the transform's operations to a picture, checking sizes before any pixel is computed.
    ///
    /// - Parameter picture: Gray or red–green–blue, optionally with straight alpha; 8 bits a band.
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
    /// Runs operations of libvips on the image, or on its first frame.
    ///
    /// - Throws: ``TransformError``, or the errors of `operations` other than `CodecFailure`.
    func computed(_ operations: (VipsPicture) throws -> VipsPicture) throws -> Image {
        do {
            return try operations(try VipsPicture(self)).image(like: self)
        } catch let failure as CodecFailure {
            throw TransformError(failure)
        }
    }
}

extension TransformError {
    /// Converts a failure of C.
    init(_ failure: CodecFailure) {
        let code: Code =
            if failure.isOutOfMemory { .outOfMemory } else if failure.isUnsupported {
                .unsupportedFeature
            } else {
                .libraryFailure
            }
        self.init(code, detail: failure.text)
    }

    /// Runs a closure that may fail for lack of memory, or because it is stopped.
    static func rethrowing<Value>(_ body: () throws(DecodeError) -> Value) throws(TransformError) -> Value {
        do throws(DecodeError) {
            return try body()
        } catch {
            let code = error.code == .outOfMemory ? Code.outOfMemory : .libraryFailure
            throw TransformError(code, detail: error.detail)
        }
    }

    static func invalid(_ detail: String) -> TransformError {
        TransformError(.invalidParameter, detail: detail)
    }
}
