public import CalotypeCore

extension ThumbHash {
    /// Renders the placeholder: 32 pixels on the longer side, in the proportions of the hash.
    ///
    /// - Returns: An image, with alpha if the hash has alpha.
    public func image() -> Image {
        let longest = 32.0
        let ratio = content.aspectRatio
        let size = PixelSize(
            width: Int((longest * min(1, ratio)).rounded()),
            height: Int((longest / max(1, ratio)).rounded())
        )
        let colors = content.colors(size)
        let format: PixelFormat = content.alpha == nil ? .rgb8 : .rgba8
        let pixels = PixelBuffer(byteCount: size.pixelCount * format.bytesPerPixel) { bytes in
            let levels = colors.lazy.flatMap {
                [$0.red, $0.green, $0.blue, $0.alpha].prefix(format.bytesPerPixel)
            }
            for (index, level) in levels.enumerated() { bytes[index] = level }
        }
        return Image(size: size, pixelFormat: format, pixels: pixels)
    }
}

extension ThumbHashContent {
    var averageColor: RGBAColor {
        RGBAColor(
            light: light.average,
            yellowBlue: yellowBlue.average,
            redGreen: redGreen.average,
            alpha: alpha?.average ?? 1
        )
    }

    fileprivate func colors(_ size: PixelSize) -> [RGBAColor] {
        let lights = light.values(size)
        let yellowBlues = yellowBlue.values(size)
        let redGreens = redGreen.values(size)
        let alphas = alpha?.values(size)
        return (0..<size.pixelCount).map { index in
            RGBAColor(
                light: lights[index],
                yellowBlue: yellowBlues[index],
                redGreen: redGreens[index],
                alpha: alphas?[index] ?? 1
            )
        }
    }
}

extension RGBAColor {
    fileprivate init(light: Double, yellowBlue: Double, redGreen: Double, alpha: Double) {
        let blue = light - yellowBlue * 2 / 3
        let red = (3 * light - blue + redGreen) / 2
        let green = red - redGreen
        let levels = [red, green, blue, alpha].map { UInt8((min(1, max(0, $0)) * 255).rounded()) }
        self.init(red: levels[0], green: levels[1], blue: levels[2], alpha: levels[3])
    }
}
