import CCodecs
public import CalotypeCore
import FoundationEssentials

extension Image {
    /// Returns the image converted to sRGB with unchanged depth; returns itself if it is sRGB.
    ///
    /// A high range is mapped to the standard one, as defined by ITU-R BT.2390 section 5.4.1. An invalid
    /// profile is ignored, as in browsers. Blocks. The frames of an animation are converted on demand.
    ///
    /// - Returns: The image, whose colour space is sRGB.
    /// - Throws: `DecodeError` with `outOfMemory`.
    public func convertedToSRGB() throws(DecodeError) -> Image {
        guard colorSpace != .sRGB else { return self }
        let source = Raster(size: size, format: pixelFormat, pixels: pixels)
        let raster = try source.converted(by: ColorConversion(colorSpace, pixelFormat.channels))
        var metadata = metadata
        metadata.colorSpace = .sRGB
        let still = replacing(raster).replacing(animation: nil, metadata: metadata)
        guard let animation else { return still }
        return still.replacing(animation: animation.mapping(firstFrame: still) { try $0.convertedToSRGB() })
    }

    /// Returns the image like an ordinary decode: 8 bits a channel, sRGB; returns itself if it has these.
    ///
    /// Blocks.
    ///
    /// - Returns: The image.
    /// - Throws: `DecodeError` with `outOfMemory`.
    public func convertedToStandard() throws(DecodeError) -> Image {
        try convertedToSRGB().reducedToEightBits()
    }

    /// Returns an image with other pixels and the same metadata, without animation.
    func replacing(_ raster: Raster) -> Image {
        Image(
            size: raster.size,
            pixelFormat: raster.format,
            pixels: raster.pixels,
            scale: scale,
            format: format,
            metadata: metadata
        )
    }

    /// Calls `body` with the pixels, their colours and metadata as C structures.
    func withPixels<Result>(
        _ blocks: MetadataBlocks = MetadataBlocks(),
        _ body: (UnsafePointer<cc_pixels>) -> Result
    ) -> Result {
        unsafe blocks.exif.withUnsafeBytes { exif in
            unsafe blocks.xmp.withUnsafeBytes { xmp in
                unsafe blocks.iptc.withUnsafeBytes { iptc in
                    unsafe withPixels((cc_bytes(exif), cc_bytes(xmp), cc_bytes(iptc)), body)
                }
            }
        }
    }

    private func withPixels<Result>(
        _ blocks: (exif: cc_bytes, xmp: cc_bytes, iptc: cc_bytes),
        _ body: (UnsafePointer<cc_pixels>) -> Result
    ) -> Result {
        unsafe pixels.withUnsafeBytes { bytes in
            var source = unsafe cc_pixels(bytes, size, pixelFormat)
            unsafe (source.exif, source.xmp, source.iptc) = blocks
            switch colorSpace {
            case .sRGB: return unsafe body(&source)
            case .cicp(let primaries, let transfer):
                unsafe source.primaries = UInt32(clamping: primaries)
                unsafe source.transfer = UInt32(clamping: transfer)
                return unsafe body(&source)
            case .icc(let profile):
                return unsafe profile.bytes.withUnsafeBytes { profile in
                    unsafe source.profile = cc_bytes(profile)
                    return unsafe body(&source)
                }
            }
        }
    }
}

extension ColorConversion {
    /// Creates a transform from a colour space to sRGB.
    init(_ space: ColorSpace, _ channels: cc_channels) {
        switch space {
        case .sRGB: unsafe self.init(profile: cc_bytes(), channels: channels, isWanted: false)
        case .cicp(let primaries, let transfer):
            self.init(
                primaries: UInt32(clamping: primaries),
                transfer: UInt32(clamping: transfer),
                channels: channels,
                isWanted: true
            )
        case .icc(let profile):
            self = unsafe profile.bytes.withUnsafeBytes { bytes in
                unsafe ColorConversion(profile: cc_bytes(bytes), channels: channels, isWanted: true)
            }
        }
    }
}

extension ColorSpace {
    /// Creates the space of a profile, of which the header may suffice; sRGB without bytes.
    init(profile: cc_bytes) {
        guard let start = unsafe profile.start, unsafe profile.count > 0 else {
            self = .sRGB
            return
        }
        self = unsafe .icc(Data(bytes: start, count: profile.count))
    }

    /// Creates the space of an ICC profile if there is one, otherwise that of the code points; sRGB if they
    /// name it or nothing.
    init(profile: cc_bytes, primaries: UInt32, transfer: UInt32) {
        unsafe self.init(profile: profile)
        let isVideo = [1, 2, 6, 13, 14, 15].contains(transfer)
        guard self == .sRGB, primaries > 0, !(isVideo && [1, 2].contains(primaries)) else { return }
        self = .cicp(primaries: Int(primaries), transfer: Int(transfer))
    }
}
