public import CalotypeCore
public import FoundationEssentials

extension DecodeLimits {
    /// Rejects an input that is empty or too large: the first step of every decoder.
    ///
    /// - Throws: `DecodeError` with `empty` or `limitExceeded`.
    public func checkInput(_ data: Data, format: ImageFormat? = nil) throws(DecodeError) {
        guard !data.isEmpty else {
            throw DecodeError(.empty, format: format, detail: "the input is empty")
        }
        guard data.count <= maxByteCount else {
            throw .beyond("\(data.count) bytes of input, the limit is \(maxByteCount)", format)
        }
    }

    /// Checks the size stated in a header, before anything is allocated for it.
    ///
    /// - Parameters:
    ///   - size: Width and height as stored.
    ///   - frameCount: The number of frames; 1 for a still.
    ///   - format: The format, for the error.
    /// - Throws: `DecodeError` with `corrupt` for an empty size, and `limitExceeded`.
    public func checkSize(_ size: PixelSize, frameCount: Int = 1, format: ImageFormat) throws(DecodeError) {
        guard !size.isEmpty else {
            throw DecodeError(.corrupt, format: format, detail: "the header claims \(size) pixels")
        }
        guard size.pixelCount <= maxPixelCount else {
            throw .beyond("\(size) pixels in a frame, the limit is \(maxPixelCount)", format)
        }
        guard frameCount <= maxFrameCount else {
            throw .beyond("\(frameCount) frames, the limit is \(maxFrameCount)", format)
        }
        guard frameCount <= 1 || size.pixelCount <= maxFramePixelCount / frameCount else {
            throw .beyond(
                "\(frameCount) frames of \(size), the limit is \(maxFramePixelCount) pixels",
                format
            )
        }
    }

    /// Returns the number of frames that are read of an animation with frames of a size; at least 1.
    ///
    /// Unless animations are truncated, all of them are, and ``checkSize(_:frameCount:format:)`` rejects too
    /// many.
    func maxReadFrameCount(of size: PixelSize) -> Int {
        guard truncatesAnimations else { return .max }
        return max(1, min(maxFrameCount, maxFramePixelCount / max(1, size.pixelCount)))
    }

    /// The maximum number of frames in the tables of a file, of which a part may be read.
    var maxListedFrameCount: Int { truncatesAnimations ? max(maxFrameCount, 10_000) : maxFrameCount }

    /// Returns whether an animation of this many frames may have lost some to truncation.
    package func mayTruncate(_ frameCount: Int, of size: PixelSize) -> Bool {
        frameCount >= maxReadFrameCount(of: size)
    }

    /// Checks the coded size of an image, of which the file may show a part.
    ///
    /// Codecs code whole blocks: the limit may be exceeded by less than a block on each side.
    ///
    /// - Parameters:
    ///   - size: Width and height as coded.
    ///   - frameCount: The number of frames; 1 for a still.
    ///   - format: The format, for the error.
    /// - Throws: The errors of ``checkSize(_:frameCount:format:)``.
    func checkCodedSize(_ size: PixelSize, frameCount: Int = 1, format: ImageFormat) throws(DecodeError) {
        guard !size.isEmpty else { return try checkSize(size, frameCount: frameCount, format: format) }
        let shownAtLeast = PixelSize(
            width: max(1, size.width - codedBlockSide + 1),
            height: max(1, size.height - codedBlockSide + 1)
        )
        try checkSize(shownAtLeast, frameCount: frameCount, format: format)
    }
}

/// The maximum side of a block (ITU-T H.265 section 7.4.3.2.1).
private let codedBlockSide = 64

extension DecodeError {
    fileprivate static func beyond(_ detail: String, _ format: ImageFormat?) -> DecodeError {
        DecodeError(.limitExceeded, format: format, detail: detail)
    }
}
