import CCodecs
package import CalotypeCore
import CalotypeSupport

/// A picture that libvips will compute: its size is known, its pixels are computed when ``image(like:)``
/// reads them.
///
/// Used by one thread. Bands are gray or red–green–blue, optionally followed by alpha, which is straight
/// unless stated otherwise.
@safe package final class VipsPicture {
    /// Owned.
    private let picture: OpaquePointer
    /// The memory of the source pixels, which is not copied.
    private let sources: [PixelBuffer]

    private init(adopting picture: OpaquePointer, sources: [PixelBuffer]) {
        unsafe self.picture = unsafe picture
        self.sources = sources
    }

    deinit {
        unsafe cc_vips_release(picture)
    }

    /// Creates a picture of the pixels of an image, or of its first frame; more than 8 bits are rounded.
    ///
    /// - Throws: The error of libvips.
    package convenience init(_ image: Image) throws(CodecFailure) {
        let image = try Self.reduced(image)
        try self.init(Raster(size: image.size, format: image.pixelFormat, pixels: image.pixels))
    }

    /// Operations here use levels of 8 bits.
    private static func reduced(_ image: Image) throws(CodecFailure) -> Image {
        do throws(DecodeError) {
            return try image.firstFrame.reducedToEightBits()
        } catch {
            throw CodecFailure(status: .out_of_memory, text: error.detail)
        }
    }

    convenience init(_ raster: Raster) throws(CodecFailure) {
        // libvips may be present anyway, for TIFF.
        guard BuildTrait.transforms.isOn else {
            let text = BuildTrait.transforms.absence(of: "this transform, which libvips computes,")
            throw CodecFailure(status: .unsupported, text: text)
        }
        let opened = try unsafe CodecFailure.open { result, message in
            unsafe raster.pixels.withUnsafeBytes { bytes in
                var source = unsafe cc_pixels(bytes, raster.size, raster.format)
                return unsafe cc_vips_open(&source, result, message)
            }
        }
        unsafe self.init(adopting: opened, sources: [raster.pixels])
    }

    /// Width and height in pixels.
    package var size: PixelSize {
        let shape = unsafe cc_vips_shape_of(picture)
        return PixelSize(width: Int(shape.width), height: Int(shape.height))
    }

    /// 1 or 3 for opaque pictures, 2 or 4 with alpha.
    package var bandCount: Int { unsafe Int(cc_vips_shape_of(picture).band_count) }

    /// True if the last band is alpha.
    package var hasAlpha: Bool { bandCount == 2 || bandCount == 4 }

    /// The position of the top left corner in the picture that this one was cropped from.
    package var origin: (left: Int, top: Int) {
        let shape = unsafe cc_vips_shape_of(picture)
        return (Int(shape.left), Int(shape.top))
    }

    /// Adds an operation to a picture.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - arguments: Its arguments but for `in`, by their names in libvips.
    /// - Returns: The operation's picture `out`.
    /// - Throws: The error of libvips for invalid arguments.
    package func applying(
        _ operation: VipsOperation,
        _ arguments: [VipsArgument] = []
    ) throws(CodecFailure) -> VipsPicture {
        try Self.make(operation, [.picture(operation.inputName, self)] + arguments)
    }

    /// Creates a picture by an operation without an input picture.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - arguments: All its arguments, by their names in libvips.
    /// - Returns: The operation's picture `out`.
    /// - Throws: The error of libvips for invalid arguments.
    package static func make(
        _ operation: VipsOperation,
        _ arguments: [VipsArgument]
    ) throws(CodecFailure) -> VipsPicture {
        let begun = unsafe begin(operation, arguments)
        let result = try unsafe CodecFailure.open { unsafe cc_vips_apply(begun, $0, $1) }
        return unsafe VipsPicture(adopting: result, sources: arguments.flatMap(\.pictures).flatMap(\.sources))
    }

    private static func begin(_ operation: VipsOperation, _ arguments: [VipsArgument]) -> OpaquePointer {
        guard let begun = unsafe cc_vips_begin(operation.rawValue) else {
            preconditionFailure("libvips does not know “\(operation)”, or has not been set up")
        }
        for argument in arguments { unsafe argument.set(on: begun) }
        return unsafe begun
    }

    /// Computes the pixels, which must be 8 bits a band by now.
    ///
    /// - Parameter original: The source of the image's scale, format and metadata.
    /// - Returns: The image: gray, red–green–blue, or with alpha.
    /// - Throws: The error of libvips.
    package func image(like original: Image) throws(CodecFailure) -> Image {
        let raster = try raster()
        return Image(
            size: raster.size,
            pixelFormat: raster.format,
            pixels: raster.pixels,
            scale: original.scale,
            format: original.format,
            metadata: original.metadata
        )
    }

    func raster() throws(CodecFailure) -> Raster {
        // No pixel format is gray with alpha.
        if bandCount == 2 { return try applying(.colourspace, [.text("space", "srgb")]).raster() }
        let format: PixelFormat = bandCount == 1 ? .gray8 : bandCount == 3 ? .rgb8 : .rgba8
        return try unsafe Raster(size: size, format: format) { rows throws(CodecFailure) in
            try unsafe CodecFailure.check { message in unsafe cc_vips_read(picture, rows, message) }
        }
    }

    /// The C pointer; valid as long as this object.
    var pointer: OpaquePointer { unsafe picture }
}

extension VipsPicture {
    /// The bytes that libvips currently holds in the whole process.
    package static var heldByteCount: Int { Int(cc_vips_byte_count()) }

    /// The value of opaque alpha in linear light, which differs between versions of libvips.
    package static var opaqueInLinearLight: Double { cc_vips_light_alpha_max() }
}
