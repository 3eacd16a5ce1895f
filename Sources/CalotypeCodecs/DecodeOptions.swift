public import CalotypeCore

/// What a decode should give.
///
/// Each property can change pixels, so each is part of the key under which a decoded image is cached.
public struct DecodeOptions: Hashable, Sendable {
    /// How large the result should be; never larger than the image is, unless it is drawn, as SVG is.
    public enum Target: Hashable, Sendable {
        /// As large as the image is.
        case full
        /// Within a box, proportions kept.
        case fit(PixelBox)
        /// Covering a box, proportions kept, nothing cut off.
        case fill(PixelBox)
        /// At most so many bytes of pixels, all frames counted at 4 bytes a pixel, or 8 where more than 8
        /// bits are kept.
        case fitBytes(Int)
    }

    /// What becomes of an image of which a part is damaged or missing.
    public enum Damage: Hashable, Sendable {
        /// An error, and no pixels.
        case strict
        /// The part that could be read, as browsers show it, with `ImageMetadata.isPartial` set; an error
        /// only where that is nothing.
        case showsWhatIsThere
    }

    /// How large the result should be, measured after the orientation has been applied; ``Target/full``
    /// unless set.
    public var target: Target

    /// Which frames of an animated image are wanted; all of them unless set.
    public var frames: FrameSelection

    /// Pixels for each point of the layout, carried to `Image.scale`; 1 unless set.
    public var scale: Double {
        get { scaleSetting.value }
        set { scaleSetting = ScaleSetting(newValue) }
    }

    private var scaleSetting: ScaleSetting

    /// Whether anybody has set the scale, also to 1; options that differ in nothing else are equal.
    package var isScaleSet: Bool { scaleSetting.isSet }

    /// What the decode may cost.
    public var limits: DecodeLimits

    /// Whether the pixels are turned upright; true unless set.
    public var appliesOrientation: Bool

    /// Whether colours are converted to sRGB; true unless set.
    ///
    /// Else `Image.colorSpace` tells what the levels stand for: those of wide gamut and of high dynamic range
    /// stay what they are. With 8 bits a channel the latter is coarse, so ``keepsDepth`` goes with it.
    public var convertsToSRGB: Bool

    /// Whether samples of more than 8 bits stay so, as `PixelFormat.rgba16`, or `rgbaF16` where they are
    /// floating point; false unless set, when they are rounded to 8 bits.
    ///
    /// Of PNG, TIFF, AVIF, HEIC and JPEG XL. The frames of APNG and of sequences in HEIC have 8 bits in any
    /// case, and so have previews.
    public var keepsDepth: Bool

    /// What becomes of an image that is damaged; ``Damage/strict`` unless set.
    ///
    /// `CodecRegistry` heeds it, for all its decoders. Of a still the rows, passes or scans are shown that
    /// came before the damage; of an animation that breaks off the frames before.
    public var damage: Damage

    /// Creates options; each default is stated at its property.
    ///
    /// - Parameters:
    ///   - target: How large the result should be.
    ///   - frames: Which frames of an animated image are wanted.
    ///   - scale: Pixels for each point of the layout; 1 unless given.
    ///   - limits: What the decode may cost.
    ///   - appliesOrientation: Whether the pixels are turned upright.
    ///   - convertsToSRGB: Whether colours are converted to sRGB.
    ///   - keepsDepth: Whether samples of more than 8 bits stay so.
    ///   - damage: What becomes of an image that is damaged.
    public init(
        target: Target = .full,
        frames: FrameSelection = .all,
        scale: Double? = nil,
        limits: DecodeLimits = DecodeLimits(),
        appliesOrientation: Bool = true,
        convertsToSRGB: Bool = true,
        keepsDepth: Bool = false,
        damage: Damage = .strict
    ) {
        self.target = target
        self.frames = frames
        scaleSetting = ScaleSetting(scale)
        self.limits = limits
        self.appliesOrientation = appliesOrientation
        self.convertsToSRGB = convertsToSRGB
        self.keepsDepth = keepsDepth
        self.damage = damage
    }
}

/// A scale, and whether somebody has set it, which makes no two of them differ.
private struct ScaleSetting: Hashable, Sendable {
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
    /// The size of the result for an image of `size` pixels in `frameCount` frames; for bytes, at so many a
    /// pixel.
    ///
    /// The rounding rule is that of `PixelBox`; for bytes both sides are rounded down, at
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
    /// The size at which what has no pixels of its own is drawn: that of the target also where it is larger.
    package func drawnSize(for size: PixelSize) -> PixelSize {
        switch self {
        case .full, .fitBytes: resultSize(for: size)
        case .fit(let box): box.fitting(size, enlarges: true)
        case .fill(let box): box.filling(size, enlarges: true)
        }
    }

    /// Whether an image of one pixel finds room.
    var hasRoom: Bool {
        switch self {
        case .full, .fitBytes: true
        case .fit(let box), .fill(let box): box.hasRoom
        }
    }

    /// Refuses a box without room.
    func checkRoom() throws(DecodeError) {
        guard !hasRoom else { return }
        throw DecodeError(.invalidParameter, detail: "a target has sides of at least 1 pixel")
    }
}

extension DecodeOptions.Target {
    /// Within a box, proportions kept; a side that is not given is open.
    public static func fit(width: Int? = nil, height: Int? = nil) -> DecodeOptions.Target {
        .fit(PixelBox(width: width, height: height))
    }

    /// Within a size, proportions kept.
    public static func fit(_ size: PixelSize) -> DecodeOptions.Target { .fit(PixelBox(size)) }

    /// Covering a size, proportions kept, nothing cut off; a side that is not given is open.
    public static func fill(width: Int? = nil, height: Int? = nil) -> DecodeOptions.Target {
        .fill(PixelBox(width: width, height: height))
    }

    /// Covering a size, proportions kept, nothing cut off.
    public static func fill(_ size: PixelSize) -> DecodeOptions.Target { .fill(PixelBox(size)) }
}
