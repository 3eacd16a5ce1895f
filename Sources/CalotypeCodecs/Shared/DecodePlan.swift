import CalotypeCore

/// How the options of a decode apply to one image: which size to decode, which to give, and how to turn it.
///
/// The size of the result is measured as shown. The pixels are made smaller before they are turned, since
/// that leaves less to turn.
struct DecodePlan {
    /// Width and height as stored.
    let storedSize: PixelSize
    let options: DecodeOptions
    let metadata: ImageMetadata

    /// Width and height of the result as shown.
    let resultSize: PixelSize

    init(
        _ storedSize: PixelSize,
        orientation: Orientation,
        hasColorProfile: Bool,
        frameCount: Int = 1,
        colorSpace: @autoclosure () -> ColorSpace = .sRGB,
        isDeep: Bool = false,
        copyright: Copyright? = nil,
        options: DecodeOptions
    ) {
        self.storedSize = storedSize
        self.options = options
        metadata = ImageMetadata(
            orientation: orientation,
            isOrientationApplied: options.appliesOrientation,
            hasColorProfile: hasColorProfile,
            // Where colours are converted nobody asks for the bytes of a profile.
            colorSpace: options.convertsToSRGB ? .sRGB : colorSpace(),
            copyright: copyright
        )
        let shown = options.appliesOrientation ? orientation.applied(to: storedSize) : storedSize
        resultSize = options.target.resultSize(
            for: shown,
            frameCount: frameCount,
            bytesPerPixel: isDeep ? 8 : 4
        )
    }

    /// The turn that is still to be made.
    var orientation: Orientation { options.appliesOrientation ? metadata.orientation : .up }

    /// Whether the result is what the file means, of the size that it states.
    var givesWhole: Bool {
        resultSizeBeforeTurn == storedSize && options.appliesOrientation && options.convertsToSRGB
            && options.damage != .showsWhatIsThere
    }

    /// The size of the result before it is turned.
    var resultSizeBeforeTurn: PixelSize { orientation.applied(to: resultSize) }

    /// The least of one, two, four and eight eighths that leaves at least twice the result on both sides, for
    /// codecs that can decode at a fraction: what is taken away after that is still left to a better filter.
    ///
    /// libjpeg-turbo has vector code for these only: three eighths take it longer than four, and five to
    /// seven much longer than all of the image.
    var eighths: Int {
        let needed = resultSizeBeforeTurn
        guard needed != storedSize else { return 8 }
        let enough = [1, 2, 4].first { eighths in
            let size = Self.size(storedSize, eighths: eighths)
            return size.width >= 2 * needed.width && size.height >= 2 * needed.height
        }
        return enough ?? 8
    }

    /// A size in eighths, rounded up, as libjpeg does.
    static func size(_ size: PixelSize, eighths: Int) -> PixelSize {
        PixelSize(width: (size.width * eighths + 7) / 8, height: (size.height * eighths + 7) / 8)
    }

    /// The image that was asked for, out of the decoded pixels.
    ///
    /// - Parameters:
    ///   - decoded: The pixels.
    ///   - format: The format that they were decoded from.
    ///   - frames: The frames of an animated image; they are left out where the first only is wanted.
    ///   - isFirstFrame: Whether the pixels are those of the first frame; else they stand beside the
    ///     animation.
    /// - Returns: The image, with its frames where they are wanted.
    /// - Throws: `DecodeError` where the pixels cannot be resampled.
    func image(
        from decoded: Raster,
        format: ImageFormat,
        frames: (any FrameSource)? = nil,
        isFirstFrame: Bool = true
    ) throws(DecodeError) -> Image {
        let upright = try resampled(decoded, format: format).upright(from: orientation)
        let image = Image(
            size: upright.size,
            pixelFormat: upright.format,
            pixels: upright.pixels,
            scale: options.scale,
            format: format,
            metadata: metadata
        )
        guard let frames, options.frames == .all, frames.frameCount > 1 else { return image }
        return image.replacing(animation: Animation(source: frames, firstFrame: isFirstFrame ? image : nil))
    }

    /// The pixels in the size of the result, before they are turned.
    func resampled(_ decoded: Raster, format: ImageFormat) throws(DecodeError) -> Raster {
        guard decoded.size != resultSizeBeforeTurn else { return decoded }
        do throws(CodecFailure) {
            return try Resampler.resize(decoded, to: resultSizeBeforeTurn)
        } catch {
            throw error.decodeError(format)
        }
    }
}
