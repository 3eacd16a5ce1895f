import CalotypeCore

/// The application of a decode's options to one image: the decoded size, the size of the result, and the
/// orientation.
///
/// The size of the result is the one after turning. Pixels are reduced before they are turned, since that
/// leaves less to turn.
struct DecodePlan {
    let storedSize: PixelSize
    let options: DecodeOptions
    let metadata: ImageMetadata

    /// The size of the result as shown.
    let resultSize: PixelSize

    init(
        _ storedSize: PixelSize,
        orientation: Orientation,
        hasColorProfile: Bool,
        frameCount: Int = 1,
        colorSpace: @autoclosure () -> ColorSpace = .sRGB,
        isDeep: Bool = false,
        copyright: Copyright? = nil,
        light: ResamplingLight = .automatic,
        options: DecodeOptions
    ) {
        self.storedSize = storedSize
        self.options = options
        metadata = ImageMetadata(
            orientation: orientation,
            isOrientationApplied: options.appliesOrientation,
            hasColorProfile: hasColorProfile,
            // If colours are converted, the profile's bytes are not needed.
            colorSpace: options.convertsToSRGB ? .sRGB : colorSpace(),
            copyright: copyright,
            light: options.light == .automatic ? light : options.light
        )
        let shown = options.appliesOrientation ? orientation.applied(to: storedSize) : storedSize
        resultSize = options.target.resultSize(
            for: shown,
            frameCount: frameCount,
            bytesPerPixel: isDeep ? 8 : 4
        )
    }

    /// The orientation still to be applied.
    var orientation: Orientation { options.appliesOrientation ? metadata.orientation : .up }

    /// True if the result equals the file's content in its stored size.
    var givesWhole: Bool {
        resultSizeBeforeTurn == storedSize && options.appliesOrientation
            && (options.convertsToSRGB || options.keepsWideGamut) && options.damage != .allowsPartialImage
    }

    /// The size of the result before it is turned.
    var resultSizeBeforeTurn: PixelSize { orientation.applied(to: resultSize) }

    /// The smallest of one, two, four and eight eighths that leaves at least twice the result on both sides.
    ///
    /// For codecs that can decode at a fraction; a better filter does the remaining reduction. libjpeg-turbo
    /// has vector code only for these: three eighths take longer than four, and five to seven much longer
    /// than the whole image.
    var eighths: Int {
        let needed = resultSizeBeforeTurn
        guard needed != storedSize else { return 8 }
        let enough = [1, 2, 4].first { eighths in
            let size = storedSize.decoded(eighths: eighths)
            return size.width >= 2 * needed.width && size.height >= 2 * needed.height
        }
        return enough ?? 8
    }

    /// Creates the requested image from the decoded pixels.
    ///
    /// - Parameters:
    ///   - decoded: The pixels.
    ///   - format: The format of the file.
    ///   - frames: The frames of an animated image, ignored if only the first is requested.
    ///   - isFirstFrame: True if the pixels are those of the first frame; false if they are an image beside
    ///     the animation.
    /// - Returns: The image, with its frames if they are requested.
    /// - Throws: `DecodeError` if the pixels cannot be resampled.
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

    /// Resamples the pixels to the size of the result, before they are turned.
    func resampled(_ decoded: Raster, format: ImageFormat) throws(DecodeError) -> Raster {
        guard decoded.size != resultSizeBeforeTurn else { return decoded }
        let inLinearLight = options.light.isLinear(for: metadata, format, enlarges: false)
        do throws(CodecFailure) {
            return try Resampler.resize(decoded, to: resultSizeBeforeTurn, inLinearLight: inLinearLight)
        } catch {
            throw error.decodeError(format)
        }
    }
}
