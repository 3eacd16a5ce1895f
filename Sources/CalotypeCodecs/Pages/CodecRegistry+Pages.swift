package import CalotypeCore
import CalotypeSupport
package import FoundationEssentials

extension CodecRegistry {
    /// Reads the header of the image that a decode of some pages returns.
    ///
    /// - Parameters:
    ///   - data: The encoded image.
    ///   - limits: The limits on the cost.
    ///   - pages: The pages; `nil` for those of an ordinary decode.
    ///   - frames: The frames of the decode: with `first`, pages are also those of an animation.
    /// - Returns: The header; the frame count is that of the file.
    /// - Throws: `DecodeError`.
    package func info(
        of data: Data,
        limits: DecodeLimits,
        pages: PageSelection?,
        frames: FrameSelection = .all
    ) throws(DecodeError) -> ImageInfo {
        guard let pages else { return try info(of: data, limits: limits) }
        guard let index = Self.pageIndex(of: data) else {
            let info = try info(of: data, limits: limits)
            return frames == .first ? try info.stacking(pages, within: limits) : info
        }
        let infos = try WorkStop.limiting(to: limits.maxDuration) { () throws(DecodeError) in
            var infos: [ImageInfo] = []
            for place in pages.indices(of: index.count) {
                try DecodeError.checkStop()
                infos.append(try info(of: index.page(at: place), limits: limits))
            }
            return infos
        }
        guard infos.count > 1 else { return infos[0] }
        let size = Self.stackedSize(infos.map(\.displaySize))
        try limits.checkSize(size, format: infos[0].format)
        return ImageInfo(
            format: infos[0].format,
            size: size,
            hasAlpha: true,
            hasColorProfile: infos.contains { $0.hasColorProfile },
            pixelFormat: .rgba8
        )
    }

    /// Decodes the selected pages, or frames of an animation; `nil` if the ordinary decode returns them.
    ///
    /// - Parameters:
    ///   - data: The encoded image.
    ///   - options: The options of the decode, with ``DecodeOptions/pages``.
    /// - Returns: The image.
    /// - Throws: `DecodeError`.
    func decodePages(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image? {
        guard let pages = options.pages else { return nil }
        var options = options
        options.pages = nil
        if let index = Self.pageIndex(of: data) {
            let indices = pages.indices(of: index.count)
            if indices.count == 1 {
                return try decode(index.page(at: indices.lowerBound), options: options)
            }
            _ = try info(of: data, limits: options.limits, pages: pages)
            return try Self.stacked(options) { whole throws(DecodeError) in
                var images: [Image] = []
                for place in indices { images.append(try decode(index.page(at: place), options: whole)) }
                return images
            }
        }
        // A result that is an animation has all frames.
        guard options.frames == .first, pages != PageSelection() else { return nil }
        return try decodeFrames(data, pages, options)
    }

    private func decodeFrames(
        _ data: Data,
        _ pages: PageSelection,
        _ options: DecodeOptions
    ) throws(DecodeError) -> Image? {
        // Checks the size of a stack before a frame is decoded.
        let info = try info(of: data, limits: options.limits, pages: pages, frames: .first)
        guard info.frameCount > 1 else { return nil }
        var moving = options
        moving.frames = .all
        if pages.count > 1 {
            let whole = try decode(data, options: moving.whole)
            guard let animation = whole.animation else { return nil }
            let indices = pages.indices(of: animation.frameCount)
            return try Self.stacked(options) { _ throws(DecodeError) in
                var images: [Image] = []
                for place in indices { images.append(try Self.frame(place, of: animation)) }
                return images
            }
        }
        let image = try decode(data, options: moving)
        guard let animation = image.animation else { return nil }
        let frame = try Self.frame(pages.indices(of: animation.frameCount).lowerBound, of: animation)
        return frame.replacing(animation: nil, metadata: image.metadata, format: image.format)
    }

    private static func frame(_ index: Int, of animation: Animation) throws(DecodeError) -> Image {
        do {
            return try animation.decodeFrame(at: index)
        } catch let error as DecodeError {
            throw error
        } catch {
            throw DecodeError(.corrupt, detail: "frame \(index): \(error)")
        }
    }

    private static func pageIndex(of data: Data) -> PageIndex? {
        ImageFormat(sniffing: data).flatMap { PageIndex(data, $0) }
    }

    private static func stackedSize(_ sizes: [PixelSize]) -> PixelSize {
        PixelSize(
            width: sizes.map(\.width).max() ?? 0,
            height: sizes.reduce(0) { min($0, Int(Int32.max)) + min($1.height, Int(Int32.max)) }
        )
    }

    /// Stacks images that were decoded whole, and applies the options to the result.
    private static func stacked(
        _ options: DecodeOptions,
        _ decode: (DecodeOptions) throws(DecodeError) -> [Image]
    ) throws(DecodeError) -> Image {
        let images = try decode(options.whole)
        let size = stackedSize(images.map(\.size))
        try options.limits.checkSize(size, format: images[0].format ?? .tiff)
        let pixels = try unsafe PixelBuffer(byteCount: 4 * size.pixelCount) { target throws(DecodeError) in
            var top = 0
            for image in images {
                try DecodeError.checkStop(image.format)
                unsafe copy(image, to: target, top: top, width: size.width)
                top += image.size.height
            }
        }
        let stack = Image(size: size, pixelFormat: .rgba8, pixels: pixels, format: images[0].format)
        return try options.image(from: stack, format: images[0].format ?? .tiff)
    }

    private static func copy(
        _ image: Image,
        to target: UnsafeMutableRawBufferPointer,
        top: Int,
        width: Int
    ) {
        let rowByteCount = 4 * image.size.width
        unsafe image.rgba8().withUnsafeBytes { source in
            for y in 0..<image.size.height {
                let start = 4 * width * (top + y)
                let row = unsafe UnsafeRawBufferPointer(
                    rebasing: source[(rowByteCount * y)...].prefix(rowByteCount)
                )
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[start...]).copyMemory(from: row)
                let rest = start + rowByteCount..<start + 4 * width
                for index in rest { unsafe target[index] = 0 }
            }
        }
    }
}

extension ImageInfo {
    /// Returns the header of stacked frames of an animation; itself for one frame.
    fileprivate func stacking(
        _ pages: PageSelection,
        within limits: DecodeLimits
    ) throws(DecodeError) -> ImageInfo {
        let count = pages.indices(of: max(1, frameCount)).count
        guard count > 1 else { return self }
        let (height, overflow) = size.height.multipliedReportingOverflow(by: count)
        let stack = PixelSize(width: size.width, height: overflow ? .max : height)
        try limits.checkSize(stack, format: format)
        return ImageInfo(
            format: format,
            size: stack,
            frameCount: frameCount,
            hasAlpha: true,
            hasColorProfile: hasColorProfile,
            pixelFormat: .rgba8
        )
    }
}

extension DecodeOptions {
    /// The options for pixels that are resampled later.
    fileprivate var whole: DecodeOptions {
        var whole = self
        (whole.target, whole.keepsDepth, whole.pages) = (.full, false, nil)
        whole.convertsToSRGB = true
        // Pages may differ in colours and metadata.
        (whole.keepsWideGamut, whole.keepsMetadata, whole.keepsGainMap) = (false, false, false)
        return whole
    }
}
