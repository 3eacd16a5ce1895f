import CalotypeCore

extension Image {
    /// Returns the still in at most a number of colours, dithered; each alpha counts as a colour.
    ///
    /// Opaque pixels remain opaque, and transparent ones transparent. An image with few enough colours keeps
    /// them.
    ///
    /// - Parameter maxColorCount: 2...256.
    /// - Returns: The image with 8 bits a channel, gray as RGB.
    /// - Throws: `DecodeError` with `outOfMemory`.
    func quantized(maxColorCount: Int) throws(DecodeError) -> Image {
        // 256 levels of gray fit without a palette.
        if pixelFormat == .gray8, maxColorCount == 256 { return self }
        let pixels = straightPixels
        let format: PixelFormat = pixelFormat == .rgba8 ? .rgba8 : .rgb8
        let transparentCount = pixels.contains(0) ? 1 : 0
        let isExact = ColorTable(pixels, maxCount: maxColorCount - transparentCount) != nil
        let reduced =
            isExact
            ? pixels : PaletteReduction(pixels, width: size.width, maxColorCount: maxColorCount).pixels
        return try replacing(straightPixels: reduced, format: format)
    }

    /// The pixels as 0xAARRGGBB, or 0 for transparent ones of any colour.
    private var straightPixels: [UInt32] {
        unsafe pixels.withUnsafeBytes { bytes in
            let step = pixelFormat.bytesPerPixel
            return (0..<size.pixelCount).map { index in
                let start = index * step
                let alpha = step == 4 ? unsafe UInt32(bytes[start + 3]) : 255
                guard alpha > 0 else { return 0 }
                let (green, blue) = step == 1 ? (start, start) : (start + 1, start + 2)
                return unsafe alpha << 24 | UInt32(bytes[start]) << 16 | UInt32(bytes[green]) << 8
                    | UInt32(bytes[blue])
            }
        }
    }

    private func replacing(straightPixels: [UInt32], format: PixelFormat) throws(DecodeError) -> Image {
        let step = format.bytesPerPixel
        let buffer = try unsafe PixelBuffer(byteCount: size.pixelCount * step) {
            target throws(DecodeError) in
            for (index, pixel) in straightPixels.enumerated() {
                unsafe target[index * step] = UInt8(pixel >> 16 & 255)
                unsafe target[index * step + 1] = UInt8(pixel >> 8 & 255)
                unsafe target[index * step + 2] = UInt8(pixel & 255)
                if step == 4 { unsafe target[index * step + 3] = UInt8(pixel >> 24) }
            }
        }
        return Image(
            size: size,
            pixelFormat: format,
            pixels: buffer,
            scale: scale,
            format: self.format,
            metadata: metadata
        )
    }
}

/// Pixels reduced to a palette by error diffusion, with alpha.
struct PaletteReduction {
    /// 0xAARRGGBB, not multiplied by alpha; 0 for transparent.
    private(set) var pixels: [UInt32]

    /// The chosen colours, 0xAARRGGBB multiplied by their alpha; the opaque ones first.
    private let palette: [UInt32]
    private let opaqueCount: Int

    /// Reduces pixels.
    ///
    /// - Parameters:
    ///   - pixels: 0xAARRGGBB, not multiplied by alpha; 0 for transparent.
    ///   - width: Pixels in a row.
    ///   - maxColorCount: 2...256; transparent pixels use one of them.
    init(_ pixels: [UInt32], width: Int, maxColorCount: Int) {
        self.pixels = pixels
        let available = maxColorCount - (pixels.contains(0) ? 1 : 0)
        // Two groups, because a mean of opaque and translucent colours would make opaque areas translucent.
        let opaque = pixels.map { $0 >> 24 == 255 ? $0 : 0 }
        let translucent = pixels.map { $0 >> 24 == 255 ? 0 : Self.multiplied($0) }
        let shares = Self.shares(of: available, opaque, translucent)
        let first = shares.opaque == 0 ? [] : ColorQuantizer.palette(for: opaque, maxCount: shares.opaque)
        let second =
            shares.translucent == 0
            ? [] : ColorQuantizer.translucentPalette(for: translucent, maxCount: shares.translucent)
        (palette, opaqueCount) = (first + second, first.count)
        dither(width: width)
    }

    /// Divides a number of colours in proportion to the roots of the pixel counts: few translucent pixels, as
    /// on edges, still need several colours.
    private static func shares(
        of available: Int,
        _ opaque: [UInt32],
        _ translucent: [UInt32]
    ) -> (opaque: Int, translucent: Int) {
        let counts = [opaque, translucent].map { pixels in pixels.count { $0 != 0 } }
        guard counts[0] > 0, counts[1] > 0 else {
            return counts[0] > 0 ? (available, 0) : (0, available)
        }
        // A single colour cannot be both; edges then become opaque.
        guard available > 1 else { return (available, 0) }
        let roots = counts.map { Double($0).squareRoot() }
        let part = Double(available) * roots[1] / (roots[0] + roots[1])
        var share = min(max(1, Int(part.rounded())), available - 1)
        // A group with fewer colours leaves the rest to the other.
        if let all = ColorTable(translucent, maxCount: share)?.colors.count { share = max(1, all) }
        if let all = ColorTable(opaque, maxCount: available - share)?.colors.count {
            share = available - max(1, all)
        }
        return (available - share, share)
    }

    private static func multiplied(_ pixel: UInt32) -> UInt32 {
        let alpha = pixel >> 24
        let channels = [16, 8, 0].map { (pixel >> $0 & 255) * alpha }.map { ($0 + 127) / 255 }
        return alpha << 24 | channels[0] << 16 | channels[1] << 8 | channels[2]
    }

    private static func divided(_ pixel: UInt32) -> UInt32 {
        let alpha = pixel >> 24
        guard alpha > 0 else { return 0 }
        let channels = [16, 8, 0].map { min(255, ((pixel >> $0 & 255) * 255 + alpha / 2) / alpha) }
        return alpha << 24 | channels[0] << 16 | channels[1] << 8 | channels[2]
    }

    private mutating func dither(width: Int) {
        let colors = palette.map { SIMD4<Int32>(argb: $0) }
        let straight = palette.map(Self.divided)
        // Opaque pixels get opaque colours only.
        let opaque = opaqueCount > 0 ? Array(palette[..<opaqueCount]) : palette
        var (nearest, nearestOpaque) = (NearestColor(palette), NearestColor(opaque))
        ErrorDiffusion.run(pixelCount: pixels.count, width: width) { index, errors in
            let pixel = pixels[index]
            guard pixel != 0 else { return nil }
            let isOpaque = pixel >> 24 == 255
            let color = SIMD4<Int32>(argb: isOpaque ? pixel : Self.multiplied(pixel))
            let wanted = Self.moved(color, by: errors, isOpaque: isOpaque)
            let position =
                isOpaque
                ? nearestOpaque.position(of: wanted.packed) : nearest.position(of: wanted.packed)
            pixels[index] = straight[position]
            return wanted &- colors[position]
        }
    }

    /// Adds an error in sixteenths, rounded; the result is a multiplied colour with the alpha of an opaque
    /// pixel unchanged.
    private static func moved(
        _ color: SIMD4<Int32>,
        by error: SIMD4<Int32>,
        isOpaque: Bool
    ) -> SIMD4<Int32> {
        let sum = ErrorDiffusion.added(error, to: color)
        let alpha = isOpaque ? 255 : min(max(1, sum.w), 255)
        let bound = SIMD4<Int32>(repeating: alpha)
        return sum.clamped(lowerBound: SIMD4(0, 0, 0, alpha), upperBound: bound)
    }
}

extension SIMD4<Int32> {
    /// 0xAARRGGBB.
    fileprivate var packed: UInt32 {
        UInt32(truncatingIfNeeded: w << 24 | x << 16 | y << 8 | z)
    }
}
