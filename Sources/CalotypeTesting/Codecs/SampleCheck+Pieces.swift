import CalotypeCodecs
import CalotypeCore
import FoundationEssentials

extension SampleCheck {
    /// Checks that an incremental decoder, if there is one, gives the result of an ordinary decode for chunks
    /// of any size.
    func checkPieces(seed: UInt64) throws {
        let info = try info()
        let half = DecodeOptions.Target.fit(PixelBox(width: max(1, info.displaySize.width / 2)))
        for options in [DecodeOptions(), DecodeOptions(target: half, scale: 2, appliesOrientation: false)] {
            guard makeIncrementalDecoder(info.format, options) != nil else { return }
            let whole = try decode(options)
            try checkPieces(of: [1], info.format, options, whole)
            var random = SeededGenerator(seed: seed)
            let sizes = (0..<32).map { _ in Int.random(in: 0...sample.data.count / 3 + 1, using: &random) }
            try checkPieces(of: sizes + [1], info.format, options, whole)
            try checkPieces(of: [sample.data.count], info.format, options, whole)
            try checkMissingPieces(info.format, options, whole)
        }
    }

    private func makeIncrementalDecoder(
        _ format: ImageFormat,
        _ options: DecodeOptions
    ) -> (any IncrementalDecoder)? {
        decoder.makeIncrementalDecoder(for: format, options: options)
    }

    /// Decodes chunks of cyclic sizes, with a preview now and then.
    private func checkPieces(
        of sizes: [Int],
        _ format: ImageFormat,
        _ options: DecodeOptions,
        _ whole: Image
    ) throws {
        guard let incremental = makeIncrementalDecoder(format, options) else { return }
        let found = circumstances("pieces of \(sizes.prefix(4)) bytes, \(options.target)")
        var rest = sample.data
        var round = 0
        while !rest.isEmpty {
            let piece = rest.prefix(sizes[round % sizes.count])
            rest = rest.dropFirst(piece.count)
            try incremental.append(piece)
            if round % max(1, sample.data.count / 20) == 0, let preview = try incremental.preview() {
                try expect("a preview has the size of the result", found, preview.image.size == whole.size)
            }
            round += 1
        }
        let image = try incremental.finish()
        try expect("chunks give the pixels of the whole", found, image.hasPixels(of: whole))
        try expect(
            "chunks give the scale, format and metadata of the whole",
            found,
            image.scale == whole.scale && image.format == whole.format
                && image.metadata.orientation == whole.metadata.orientation
                && image.metadata.isOrientationApplied == whole.metadata.isOrientationApplied
                && image.metadata.hasColorProfile == whole.metadata.hasColorProfile
        )
        try expect(
            "chunks give the animation of the whole",
            found,
            image.animation?.frameCount == whole.animation?.frameCount
                && image.animation?.loopCount == whole.animation?.loopCount
                && image.animation?.duration == whole.animation?.duration
        )
    }

    private func checkMissingPieces(_ format: ImageFormat, _ options: DecodeOptions, _ whole: Image) throws {
        for cut in [0, 1, sample.data.count / 3, sample.data.count / 2, sample.data.count - 1] {
            guard let incremental = makeIncrementalDecoder(format, options) else { return }
            let part = sample.data.prefix(cut)
            let ordinary = Self.result { () throws(DecodeError) in
                try decoder.decode(part, options: options)
            }
            let pieces = Self.result { () throws(DecodeError) in
                try incremental.append(part)
                return try incremental.finish()
            }
            let found = circumstances("\(cut) bytes, then no more: \(pieces)")
            switch (ordinary, pieces) {
            case (.success(let left), .success(let right)):
                try expect(
                    "an early end gives the result of decoding the part",
                    found,
                    left.hasPixels(of: right)
                )
            case (.failure, .failure):
                continue
            default:
                throw CodecConformance.Breach(
                    promise: "an early end is an error if decoding the part is one",
                    circumstances: found
                )
            }
        }
    }
}
