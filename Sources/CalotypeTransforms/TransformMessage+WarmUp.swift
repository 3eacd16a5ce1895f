package import CalotypeCore

extension TransformMessage {
    /// Runs libvips operations once before the sandbox forbids opening files: libvips compiles code when an
    /// operation is first used, even if that code will not run.
    ///
    /// - Parameter image: A small `rgb8` image.
    package static func warmUp(_ image: Image) {
        let size = PixelSize(width: 9, height: 40)
        let color = RGBAColor(red: 1, green: 2, blue: 3, alpha: 4)
        let stroke = Stroke(width: 1.5, color: color)
        var chains: [TransformChain] = [
            .adjust(brightness: 0.1, contrast: 1.1, saturation: 1.1, gamma: 1.1, hueDegrees: 1),
            .blur(sigma: 1), .sharpen(), .rotate(byDegrees: 7), .rotate(.clockwise90), .flip(.horizontal),
            .pad(to: PixelSize(width: 20, height: 40)), .smartCrop(to: PixelSize(width: 9, height: 9)),
            .grayscale, .invert, .sepia(intensity: 0.5), .flatten(), .circle(border: stroke),
            .roundCorners(radius: 4, border: stroke), .border(stroke), .tint(color),
            .overlay(image, isTiled: true), .resize(to: size, inLinearLight: true),
        ]
        chains += ResamplingKernel.allCases.map { .resize(to: size, kernel: $0) }
        for chain in chains {
            do {
                _ = try chain.apply(to: image)
                // Once with alpha too.
                _ = try TransformChain.circle().appending(chain).apply(to: image)
            } catch {
                // An operation that fails here fails later too, and is reported then.
                continue
            }
        }
    }
}
