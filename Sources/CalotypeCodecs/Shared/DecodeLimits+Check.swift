public import CalotypeCore
public import FoundationEssentials

extension DecodeLimits {
    /// Checks that there are bytes, and not too many: the first step of every decoder.
    ///
    /// - Throws: `DecodeError` with `empty` or `limitExceeded`.
    public func checkInput(_ data: Data, format: ImageFormat? = nil) throws(DecodeError) {
        guard !data.isEmpty else {
            throw DecodeError(.empty, format: format, detail: "there are no bytes")
        }
        guard data.count <= byteCountMax else {
            throw .beyond("\(data.count) bytes of input, the limit is \(byteCountMax)", format)
        }
    }

    /// Checks what a header claims, before anything is allocated for it.
    ///
    /// - Parameters:
    ///   - size: Width and height as stored.
    ///   - frameCount: The number of frames; 1 for a still.
    ///   - format: The format, for the error.
    /// - Throws: `DecodeError` with `corrupt` where there is no pixel, and `limitExceeded`.
    public func checkSize(_ size: PixelSize, frameCount: Int = 1, format: ImageFormat) throws(DecodeError) {
        guard !size.isEmpty else {
            throw DecodeError(.corrupt, format: format, detail: "the header claims \(size) pixels")
        }
        guard size.pixelCount <= pixelCountMax else {
            throw .beyond("\(size) pixels in a frame, the limit is \(pixelCountMax)", format)
        }
        guard frameCount <= frameCountMax else {
            throw .beyond("\(frameCount) frames, the limit is \(frameCountMax)", format)
        }
        guard frameCount <= 1 || size.pixelCount <= framePixelCountMax / frameCount else {
            throw .beyond(
                "\(frameCount) frames of \(size), the limit is \(framePixelCountMax) pixels",
                format
            )
        }
    }

    /// Checks the size of what is decoded, of which the file may show a part.
    ///
    /// Codecs code whole blocks: as much as a block more than the limit is let through on each side.
    ///
    /// - Parameters:
    ///   - size: Width and height as coded.
    ///   - frameCount: The number of frames; 1 for a still.
    ///   - format: The format, for the error.
    /// - Throws: `DecodeError` as for ``checkSize(_:frameCount:format:)``.
    func checkCodedSize(_ size: PixelSize, frameCount: Int = 1, format: ImageFormat) throws(DecodeError) {
        guard !size.isEmpty else { return try checkSize(size, frameCount: frameCount, format: format) }
        let shownAtLeast = PixelSize(
            width: max(1, size.width - codedBlockSide + 1),
            height: max(1, size.height - codedBlockSide + 1)
        )
        try checkSize(shownAtLeast, frameCount: frameCount, format: format)
    }
}

/// The greatest side of a block (ITU-T H.265 section 7.4.3.2.1).
private let codedBlockSide = 64

extension DecodeError {
    fileprivate static func beyond(_ detail: String, _ format: ImageFormat?) -> DecodeError {
        DecodeError(.limitExceeded, format: format, detail: detail)
    }
}
