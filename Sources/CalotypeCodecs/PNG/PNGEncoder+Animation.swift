import CCodecs
import CalotypeCore
import FoundationEssentials

extension PNGEncoder {
    /// Encodes all frames as APNG, in the format of the first, or as RGBA if another frame differs.
    func encode(_ animation: Animation, with blocks: MetadataBlocks) throws(EncodeError) -> Data {
        if let data = try encode(animation, with: blocks, as: nil) { return data }
        return try encode(animation, with: blocks, as: .rgba8) ?? Data()
    }

    /// Encodes all frames in a format, by default that of the first; `nil` if another frame differs.
    private func encode(
        _ animation: Animation,
        with blocks: MetadataBlocks,
        as format: PixelFormat?
    ) throws(EncodeError) -> Data? {
        var writer = try PNGAnimationWriter(encoding, frames: animation)
        var format = format
        var isUniform = true
        try options.forEachFrame(of: animation, for: .png) { frame, duration throws(EncodeError) in
            let frame = format == .rgba8 ? frame.withAlpha : frame
            isUniform = isUniform && frame.pixelFormat == format ?? frame.pixelFormat
            format = frame.pixelFormat
            if isUniform { try writer.add(frame, with: blocks, duration: duration) }
        }
        return isUniform ? try writer.finish() : nil
    }
}

extension Image {
    /// The pixels as RGBA.
    fileprivate var withAlpha: Image {
        guard pixelFormat != .rgba8 else { return self }
        let bytes = rgba8()
        let pixels = unsafe PixelBuffer(byteCount: bytes.count) { target in
            _ = unsafe bytes.copyBytes(to: target)
        }
        return Image(size: size, pixelFormat: .rgba8, pixels: pixels)
    }
}

/// An APNG under construction: owns the C writer.
@safe private struct PNGAnimationWriter: ~Copyable {
    private let writer: OpaquePointer

    init(_ encoding: cc_png_encoding, frames: Animation) throws(EncodeError) {
        let plays =
            switch frames.loopCount {
            case .infinite: UInt32(0)
            // PNG 3 section 11.3.6.1 and section 7.1: integers have 31 bits.
            case .times(let count): UInt32(count, orEndlessBeyond: .init(Int32.max))
            }
        var encoding = encoding
        let writer = try unsafe CodecFailure.open(encoding: .png) { writer, _ in
            unsafe cc_png_animation_open(&encoding, UInt32(clamping: frames.frameCount), plays, writer)
        }
        unsafe self.writer = writer
    }

    deinit {
        unsafe cc_png_animation_close(writer)
    }

    /// Adds a frame; the first one includes the metadata.
    mutating func add(_ frame: Image, with blocks: MetadataBlocks, duration: Duration) throws(EncodeError) {
        let shown = Self.fraction(duration)
        try unsafe CodecFailure.check(encoding: .png) { message in
            unsafe frame.withPixels(blocks) { source in
                unsafe cc_png_animation_add(writer, source, shown.numerator, shown.denominator, message)
            }
        }
    }

    mutating func finish() throws(EncodeError) -> Data {
        var output = unsafe cc_output()
        try unsafe CodecFailure.check(encoding: .png) { message in
            unsafe cc_png_animation_finish(writer, &output, message)
        }
        return unsafe output.takenData()
    }

    /// Returns seconds as a fraction: in milliseconds, or in a coarser unit above 65,535 ms.
    private static func fraction(_ duration: Duration) -> (numerator: UInt16, denominator: UInt16) {
        let (seconds, attoseconds) = duration.components
        let milliseconds = seconds * 1000 + (attoseconds + 500_000_000_000_000) / 1_000_000_000_000_000
        for denominator in [1000, 100, 10] as [UInt16] {
            let step = 1000 / Int64(denominator)
            if let numerator = UInt16(exactly: (milliseconds + step / 2) / step) {
                return (numerator, denominator)
            }
        }
        return (UInt16(clamping: (milliseconds + 500) / 1000), 1)
    }
}
