public import CalotypeCore

/// The options of a decode.
///
/// Each property can change pixels, so each is part of the key under which a decoded image is cached.
public struct DecodeOptions: Hashable, Sendable, Codable {
    /// The size of the result; never larger than the image, except for a vector image such as SVG.
    public enum Target: Hashable, Sendable, Codable {
        /// The size of the image.
        case full
        /// The largest size within a box, with the same proportions.
        case fit(PixelBox)
        /// The smallest size that covers a box, with the same proportions; nothing is cropped.
        case fill(PixelBox)
        /// The largest size of at most this many bytes for all frames, at 4 bytes a pixel, or 8 if more than
        /// 8 bits are retained.
        case fitBytes(Int)
    }

    /// The treatment of an image that is damaged or incomplete.
    public enum Damage: Hashable, Sendable, Codable {
        /// Throws an error, without pixels.
        case strict
        /// Returns the readable part, as browsers do, with `ImageMetadata.isPartial` set; throws only if
        /// nothing is readable.
        case allowsPartialImage
    }

    /// The size of the result, measured after applying the orientation; ``Target/full`` by default.
    public var target: Target

    /// The frames of an animated image to decode; all by default.
    public var frames: FrameSelection

    /// Pixels per point of the user interface, copied to `Image.scale`; 1 by default.
    public var scale: Double {
        get { scaleSetting.value }
        set { scaleSetting = ScaleSetting(newValue) }
    }

    private var scaleSetting: ScaleSetting

    /// True if the scale has been set, even to 1; it makes no difference for equality.
    package var isScaleSet: Bool { scaleSetting.isSet }

    /// The limits on the cost of the decode.
    public var limits: DecodeLimits

    /// Whether the pixels are turned upright; true by default.
    public var appliesOrientation: Bool

    /// Whether colours are converted to sRGB; true by default.
    ///
    /// Otherwise the levels are unchanged, also for wide gamut and high dynamic range, and `Image.colorSpace`
    /// states their meaning. With 8 bits a channel a high dynamic range is coarse, so combine it with
    /// ``keepsDepth``.
    public var convertsToSRGB: Bool

    /// Whether a still in a wider RGB space than sRGB keeps its colours, for results that hold a profile;
    /// false by default.
    ///
    /// Files with an ICC profile of primaries and curves, or with code points of standard range, keep their
    /// levels instead of being converted by ``convertsToSRGB``, and `Image.colorSpace` states their meaning:
    /// `ColorSpace.displayP3` whatever the profile that describes it, or the profile without its texts.
    /// Everything else is converted: gray, inks, tables, high dynamic range, and animations. No effect if
    /// ``convertsToSRGB`` is false.
    public var keepsWideGamut: Bool

    /// Whether more than 8 bits a channel are retained; false by default, which rounds to 8 bits.
    ///
    /// The result is `PixelFormat.rgba16`, or `rgbaF16` for floating point. Supported for PNG, TIFF, AVIF,
    /// HEIC and JPEG XL. The frames of APNG and of HEIC sequences, and previews, always have 8 bits.
    public var keepsDepth: Bool

    /// Whether the Exif, XMP and IPTC blocks of the file are read into `ImageMetadata.blocks`; false by
    /// default.
    public var keepsMetadata: Bool

    /// Whether the gain map of a JPEG is decoded into `ImageMetadata.gainMap`; false by default.
    ///
    /// Ultra HDR and ISO 21496-1, in a file with an index of pictures (MPF). A pipeline writes the map into
    /// results in JPEG whose transforms only crop, resize, mirror and turn.
    public var keepsGainMap: Bool

    /// The values mixed for a smaller result; `ResamplingLight.automatic` by default.
    ///
    /// Also those of resizes of the decoded image that are automatic.
    public var light: ResamplingLight

    /// The treatment of a damaged image; ``Damage/strict`` by default.
    ///
    /// `CodecRegistry` implements it for all its decoders. For a still, the result has the rows, passes or
    /// scans before the damage; for a truncated animation, the frames before.
    public var damage: Damage

    /// The pages of a TIFF or of an icon, or the frames of an animation whose ``frames`` are `.first`, that
    /// the result shows.
    ///
    /// `nil`, the default, for the first page of a TIFF, the largest image of an icon, and the first frame.
    public var pages: PageSelection?

    /// Creates options; the defaults are stated at the properties.
    ///
    /// - Parameters:
    ///   - target: The size of the result.
    ///   - frames: The frames of an animated image to decode.
    ///   - scale: Pixels per point of the user interface; 1 by default.
    ///   - limits: The limits on the cost of the decode.
    ///   - appliesOrientation: True to turn the pixels upright.
    ///   - convertsToSRGB: True to convert colours to sRGB.
    ///   - keepsWideGamut: True to keep the colours of wider RGB spaces.
    ///   - keepsDepth: True to retain more than 8 bits a channel.
    ///   - keepsMetadata: True to read the metadata blocks of the file.
    ///   - keepsGainMap: True to decode the gain map of a JPEG.
    ///   - light: The values mixed for a smaller result.
    ///   - damage: The treatment of a damaged image.
    ///   - pages: The pages or frames that the result shows.
    public init(
        target: Target = .full,
        frames: FrameSelection = .all,
        scale: Double? = nil,
        limits: DecodeLimits = DecodeLimits(),
        appliesOrientation: Bool = true,
        convertsToSRGB: Bool = true,
        keepsWideGamut: Bool = false,
        keepsDepth: Bool = false,
        keepsMetadata: Bool = false,
        keepsGainMap: Bool = false,
        light: ResamplingLight = .automatic,
        damage: Damage = .strict,
        pages: PageSelection? = nil
    ) {
        self.target = target
        self.frames = frames
        scaleSetting = ScaleSetting(scale)
        self.limits = limits
        self.appliesOrientation = appliesOrientation
        self.convertsToSRGB = convertsToSRGB
        self.keepsWideGamut = keepsWideGamut
        self.keepsDepth = keepsDepth
        self.keepsMetadata = keepsMetadata
        self.keepsGainMap = keepsGainMap
        self.light = light
        self.damage = damage
        self.pages = pages
    }
}

/// A scale, and whether it has been set, which is ignored by equality.
private struct ScaleSetting: Hashable, Sendable, Codable {
    let value: Double
    let isSet: Bool

    init(_ value: Double?) {
        self.value = value ?? 1
        isSet = value != nil
    }

    static func == (left: ScaleSetting, right: ScaleSetting) -> Bool { left.value == right.value }

    func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension DecodeOptions.Target {
    /// Returns the size of the result for an image of `size` pixels in `frameCount` frames; a target in bytes
    /// uses the given bytes per pixel.
    ///
    /// The rounding rule is that of `PixelBox`; for a target in bytes both sides are rounded down, to at
    /// least 1.
    public func resultSize(
        for size: PixelSize,
        frameCount: Int = 1,
        bytesPerPixel: Int = 4
    ) -> PixelSize {
        switch self {
        case .full:
            return size
        case .fit(let box):
            return box.fitting(size)
        case .fill(let box):
            return box.filling(size)
        case .fitBytes(let byteCount):
            let pixels = Double(max(0, byteCount)) / Double(max(1, frameCount)) / Double(bytesPerPixel)
            let factor = (pixels / Double(size.pixelCount)).squareRoot()
            guard factor < 1 else { return size }
            return PixelSize(
                width: max(1, Int(Double(size.width) * factor)),
                height: max(1, Int(Double(size.height) * factor))
            )
        }
    }
}

extension DecodeOptions.Target {
    /// Returns the rendering size of a vector image: that of the target, even if it is larger.
    package func drawnSize(for size: PixelSize) -> PixelSize {
        switch self {
        case .full, .fitBytes: resultSize(for: size)
        case .fit(let box): box.fitting(size, enlarges: true)
        case .fill(let box): box.filling(size, enlarges: true)
        }
    }

    /// True if an image of one pixel fits.
    var fitsOnePixel: Bool {
        switch self {
        case .full, .fitBytes: true
        case .fit(let box), .fill(let box): box.fitsOnePixel
        }
    }

    /// Rejects a box smaller than a pixel.
    func checkRoom() throws(DecodeError) {
        guard !fitsOnePixel else { return }
        throw DecodeError(.invalidParameter, detail: "the target is empty; use sides of at least 1 pixel")
    }
}

extension DecodeOptions.Target {
    /// The largest size within a box, with the same proportions; a missing side is open.
    public static func fit(width: Int? = nil, height: Int? = nil) -> DecodeOptions.Target {
        .fit(PixelBox(width: width, height: height))
    }

    /// The largest size within a box, with the same proportions.
    public static func fit(_ size: PixelSize) -> DecodeOptions.Target { .fit(PixelBox(size)) }

    /// The smallest size that covers a box, with the same proportions, without cropping; a missing side is
    /// open.
    public static func fill(width: Int? = nil, height: Int? = nil) -> DecodeOptions.Target {
        .fill(PixelBox(width: width, height: height))
    }

    /// The smallest size that covers a box, with the same proportions; nothing is cropped.
    public static func fill(_ size: PixelSize) -> DecodeOptions.Target { .fill(PixelBox(size)) }
}
