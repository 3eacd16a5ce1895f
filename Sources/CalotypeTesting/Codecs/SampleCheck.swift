import CalotypeCodecs
import CalotypeCore
import FoundationEssentials

struct SampleCheck {
    let decoder: any ImageDecoder
    let sample: CodecConformance.Sample

    func info(_ limits: DecodeLimits = DecodeLimits()) throws(DecodeError) -> ImageInfo {
        try decoder.info(of: sample.data, limits: limits)
    }

    func decode(_ options: DecodeOptions = DecodeOptions()) throws(DecodeError) -> Image {
        try decoder.decode(sample.data, options: options)
    }

    func circumstances(_ how: Any) -> String { "\(sample.name), \(how)" }

    // MARK: - Whole

    /// Checks that the header and the decoded image agree.
    func checkWhole() throws {
        let info = try info()
        let image = try decode(DecodeOptions(scale: 3))
        let name = sample.name
        try expect("the format is one of the decoder's", name, decoder.formats.contains(info.format))
        try expect("an image has the format of its header", name, image.format == info.format)
        try expect("an image has the size of its header", name, image.size == info.displaySize)
        try expect("an image has the pixel format of its header", name, image.pixelFormat == info.pixelFormat)
        try expect("the image has the requested scale", name, image.scale == 3)
        try expect(
            "an image and its header agree about orientation and profile",
            name,
            image.metadata.orientation == info.orientation && image.metadata.isOrientationApplied
                && image.metadata.hasColorProfile == info.hasColorProfile
        )
        // The frames of an animation may not cover their whole canvas.
        let mayHaveAlpha = info.hasAlpha || info.frameCount > 1
        try expect("an opaque image has an opaque format", name, mayHaveAlpha || info.pixelFormat != .rgba8)
        try expect("decoding again gives the same pixels", name, try decode().hasPixels(of: image))
        try checkDeclining(info)
        try checkOffset(image)
    }

    private func checkDeclining(_ info: ImageInfo) throws {
        let stored = try decode(DecodeOptions(appliesOrientation: false))
        try expect(
            "without applied orientation, the image is as stored",
            sample.name,
            stored.size == info.size && stored.metadata.orientation == info.orientation
        )
        let first = try decode(DecodeOptions(frames: .first))
        try expect("the first frame alone is a still", sample.name, first.animation == nil)
    }

    /// Checks data that does not start at index 0, like a slice of a body.
    private func checkOffset(_ image: Image) throws {
        let slice = (Data([9, 9, 9]) + sample.data).dropFirst(3)
        let other = try decoder.decode(slice, options: DecodeOptions())
        try expect("a slice of data is read as a copy of it", sample.name, other.hasPixels(of: image))
    }

    // MARK: - Targets

    /// Checks that each target gives the size it specifies, by the rules of `PixelBox` for the displayed
    /// size.
    func checkTargets() throws {
        let info = try info()
        let size = info.displaySize
        for target in Self.targets(for: size) {
            let expected = target.resultSize(for: size, frameCount: info.frameCount)
            let image = try decode(DecodeOptions(target: target, scale: 2))
            let found = circumstances("\(target): \(image.size), not \(expected)")
            try expect("a target gives the size it specifies", found, image.size == expected)
            try expect("a target keeps the pixel format", found, image.pixelFormat == info.pixelFormat)
            try expect("a target keeps the scale", found, image.scale == 2)
        }
        let same = try decode(DecodeOptions(target: .fit(PixelBox(size))))
        try expect(
            "a box of the image's size changes no pixel",
            sample.name,
            try decode().hasPixels(of: same)
        )
    }

    /// Returns targets that are ordinary, stretched, open, and far larger than the image.
    static func targets(for size: PixelSize) -> [DecodeOptions.Target] {
        let (halfWidth, halfHeight) = (max(1, size.width / 2), max(1, size.height / 2))
        let boxes = [
            PixelBox(width: 1, height: 1), PixelBox(width: halfWidth), PixelBox(height: halfHeight),
            PixelBox(width: halfWidth, height: 1), PixelBox(width: 1, height: halfHeight),
            PixelBox(width: max(1, size.width - 1), height: max(1, size.height - 1)),
            PixelBox(width: size.width, height: halfHeight), PixelBox(width: 100_000, height: halfHeight),
            PixelBox(width: 100_000, height: 100_000), PixelBox(),
        ]
        let bytes = [
            1, 4, 400, size.pixelCount * 2, size.pixelCount * 4 - 1, size.pixelCount * 4, Int.max / 8,
        ]
        return [.full] + boxes.map { .fit($0) } + boxes.map { .fill($0) } + bytes.map { .fitBytes($0) }
    }

    // MARK: - Limits

    /// Checks that limits are exact to the pixel, the frame and the byte, for the header and the decode.
    func checkLimits() throws {
        let info = try info()
        let (pixels, frames) = (info.size.pixelCount, info.frameCount)
        let byteCount = sample.data.count
        try expectAllowed(DecodeLimits(maxPixelCount: pixels, maxByteCount: byteCount))
        if pixels > 1 { try expectRefused(DecodeLimits(maxPixelCount: pixels - 1)) }
        if byteCount > 1 { try expectRefused(DecodeLimits(maxByteCount: byteCount - 1)) }
        guard frames > 1 else { return }
        try expectAllowed(DecodeLimits(maxFrameCount: frames, maxFramePixelCount: frames * pixels))
        try expectRefused(DecodeLimits(maxFrameCount: frames - 1))
        try expectRefused(DecodeLimits(maxFramePixelCount: frames * pixels - 1))
    }

    private func expectAllowed(_ limits: DecodeLimits) throws {
        let error = failure { () throws(DecodeError) in
            _ = try info(limits)
            _ = try decode(DecodeOptions(limits: limits))
        }
        let found = circumstances("\(limits): \(error.map(String.init(describing:)) ?? "")")
        try expect("an image exactly at a limit is allowed", found, error == nil)
    }

    private func expectRefused(_ limits: DecodeLimits) throws {
        let small = DecodeOptions(target: .fit(PixelBox(width: 1)), limits: limits)
        for options in [DecodeOptions(limits: limits), small] {
            try expect(
                "an image beyond a limit is the error `limitExceeded`, even with a target",
                circumstances(options),
                code: .limitExceeded
            ) { () throws(DecodeError) in _ = try decode(options) }
        }
        try expect(
            "a header beyond a limit is the error `limitExceeded`",
            circumstances(limits),
            code: .limitExceeded
        ) { () throws(DecodeError) in _ = try info(limits) }
    }
}
