package import CalotypeCore

extension TransformMessage {
    /// Has libvips do once what it later does where it can open no files: it makes machine code when an
    /// operation is first used, also where it will not run it.
    ///
    /// - Parameter image: A small picture, `rgb8`.
    package static func warmUp(_ image: Image) {
        let size = PixelSize(width: 9, height: 40)
        let color = RGBAColor(red: 1, green: 2, blue: 3, alpha: 4)
        let stroke = Stroke(width: 1.5, color: color)
        var chains: [TransformChain] = [
            .adjust(brightness: 0.1, contrast: 1.1, saturation: 1.1, gamma: 1.1, hueDegrees: 1),
            .blur(sigma: 1), .sharpen(), .rotate(byDegrees: 7), .rotate(.clockwise90), .flip(.horizontal),
            .pad(to: PixelSize(width: 20, height: 40)), .smartCrop(to: PixelSize(width: 9, height: 9)),
            .grayscale, .invert, .sepia(intensity: 0.5), .flatten(), .circle(border: stroke),
            .roundCorners(radius: 4, border: stroke), .border(stroke),
        ]
        for kernel in ResamplingKernel.allCases {
            chains += [false, true].map { .resize(to: size, kernel: kernel, inLinearLight: $0) }
        }
        for blend in BlendMode.allCases {
            chains += [.tint(color, blend: blend), .overlay(image, isTiled: true, blend: blend)]
        }
        for chain in chains {
            do {
                let shaped = try chain.apply(to: image)
                // With alpha, and of one channel.
                _ = try TransformChain.roundCorners(radius: 3).appending(chain).apply(to: shaped)
                _ = try TransformChain.grayscale.appending(chain).apply(to: image)
            } catch {
                // What fails now fails then too, and is told then.
                continue
            }
        }
    }
}
