import CCodecs
import CalotypeCore
import FoundationEssentials

/// An animated WebP file under construction: owns the C encoder.
@safe final class WebPAnimationWriter {
    private let animation: OpaquePointer
    /// The start of the next frame; a whole millisecond, so that errors do not add up.
    private var milliseconds = 0

    /// The maximum duration of a frame, which has 24 bits.
    private static let maxDuration = 0xFF_FFFF

    init(size: PixelSize, loopCount: LoopCount, _ encoding: cc_webp_encoding) throws(EncodeError) {
        var encoding = encoding
        let loops: UInt32 =
            switch loopCount {
            case .infinite: 0
            case .times(let count): UInt32(count, orEndlessBeyond: 0xFFFF)
            }
        let animation = try unsafe CodecFailure.open(encoding: .webP) { animation, message in
            unsafe cc_webp_animation_open(
                UInt32(size.width),
                UInt32(size.height),
                loops,
                &encoding,
                animation,
                message
            )
        }
        unsafe self.animation = animation
    }

    deinit {
        unsafe cc_webp_animation_close(animation)
    }

    func add(_ frame: Image, _ duration: Duration) throws(EncodeError) {
        let start = try time()
        try unsafe CodecFailure.check(encoding: .webP) { message in
            unsafe frame.pixels.withUnsafeBytes { bytes in
                var source = unsafe cc_pixels(bytes, frame.size, frame.pixelFormat)
                return unsafe cc_webp_animation_add(animation, &source, start, message)
            }
        }
        let rounded = Int((duration / .milliseconds(1)).rounded())
        milliseconds += min(max(1, rounded), Self.maxDuration)
    }

    /// The library uses 32-bit timestamps relative to the first frame, enough for 24 days.
    private func time() throws(EncodeError) -> Int32 {
        guard let time = Int32(exactly: milliseconds) else {
            throw EncodeError(
                .unsupportedFeature,
                format: .webP,
                detail: "an animation of \(milliseconds) ms; the limit is \(Int32.max) ms"
            )
        }
        return time
    }

    /// Returns the bytes of the file, with Exif and XMP unless they are empty; call it once, last.
    func finish(with blocks: MetadataBlocks) throws(CodecFailure) -> Data {
        var output = unsafe cc_output()
        guard let end = Int32(exactly: milliseconds) else {
            throw CodecFailure(status: .failure, text: "an animation of \(milliseconds) ms is too long")
        }
        try unsafe CodecFailure.check { message in
            unsafe blocks.exif.withUnsafeBytes { exif in
                unsafe blocks.xmp.withUnsafeBytes { xmp in
                    let (exif, xmp) = unsafe (cc_bytes(exif), cc_bytes(xmp))
                    return unsafe cc_webp_animation_finish(animation, end, exif, xmp, &output, message)
                }
            }
        }
        return unsafe output.takenData()
    }
}
