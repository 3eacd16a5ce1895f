import CCodecs
public import CalotypeCore
import FoundationEssentials

extension Image {
    /// The image with its colours converted to sRGB, its depth kept; itself where they are.
    ///
    /// A high range is mapped to the standard one, as ITU-R BT.2390 section 5.4.1 does. A profile that makes
    /// no sense is left out of account, as browsers do. Blocks. The frames of an animation follow when they
    /// are asked for.
    ///
    /// - Returns: The image, whose colour space is sRGB.
    /// - Throws: `DecodeError` with `outOfMemory`.
    public func convertedToSRGB() throws(DecodeError) -> Image {
        guard colorSpace != .sRGB else { return self }
        let source = Raster(size: size, format: pixelFormat, pixels: pixels)
        let raster = try source.converted(by: ColorTransform(colorSpace, pixelFormat.channels))
        var metadata = metadata
        metadata.colorSpace = .sRGB
        let still = replacing(raster).replacing(animation: nil, metadata: metadata)
        guard let animation else { return still }
        return still.replacing(animation: animation.mapping(firstFrame: still) { try $0.convertedToSRGB() })
    }

    /// The image as an ordinary decode gives it: 8 bits a channel, sRGB; itself where it is.
    ///
    /// Blocks.
    ///
    /// - Returns: The image.
    /// - Throws: `DecodeError` with `outOfMemory`.
    public func convertedToStandard() throws(DecodeError) -> Image {
        try convertedToSRGB().reducedToEightBits()
    }

    /// The same image with other pixels, without animation.
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

    /// Calls `body` with the pixels, their colours and an Exif block as C takes them.
    func withPixels<Result>(exif: Data = Data(), _ body: (UnsafePointer<cc_pixels>) -> Result) -> Result {
        unsafe exif.withUnsafeBytes { exif in unsafe withPixels(cc_bytes(exif), body) }
    }

    private func withPixels<Result>(
        _ exif: cc_bytes,
        _ body: (UnsafePointer<cc_pixels>) -> Result
    ) -> Result {
        unsafe pixels.withUnsafeBytes { bytes in
            var source = unsafe cc_pixels(bytes, size, pixelFormat)
            unsafe source.exif = exif
            switch colorSpace {
            case .sRGB: return unsafe body(&source)
            case .coded(let primaries, let transfer):
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

extension ColorTransform {
    /// A way from a colour space to sRGB.
    init(_ space: ColorSpace, _ channels: cc_channels) {
        switch space {
        case .sRGB: unsafe self.init(profile: cc_bytes(), channels: channels, isWanted: false)
        case .coded(let primaries, let transfer):
            self.init(
                primaries: UInt32(clamping: primaries),
                transfer: UInt32(clamping: transfer),
                channels: channels,
                isWanted: true
            )
        case .icc(let profile):
            self = unsafe profile.bytes.withUnsafeBytes { bytes in
                unsafe ColorTransform(profile: cc_bytes(bytes), channels: channels, isWanted: true)
            }
        }
    }
}

extension ColorSpace {
    /// The space that bytes describe as far as a header has them; sRGB where there are none.
    init(profile: cc_bytes) {
        guard let start = unsafe profile.start, unsafe profile.count > 0 else {
            self = .sRGB
            return
        }
        self = unsafe .icc(Data(bytes: start, count: profile.count))
    }

    /// The space of an ICC profile where there is one, else that of code points; sRGB where they say so, or
    /// nothing.
    init(profile: cc_bytes, primaries: UInt32, transfer: UInt32) {
        unsafe self.init(profile: profile)
        let isVideo = [1, 2, 6, 13, 14, 15].contains(transfer)
        guard self == .sRGB, primaries > 0, !(isVideo && [1, 2].contains(primaries)) else { return }
        self = .coded(primaries: Int(primaries), transfer: Int(transfer))
    }
}
