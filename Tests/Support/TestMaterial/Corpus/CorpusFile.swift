package import FoundationEssentials

/// The description of a file in the corpus's manifest; the corpus's README explains the source of each value.
package struct CorpusFile: Decodable, Sendable {
    package enum Outcome: String, Decodable, Sendable {
        /// A whole image.
        case ok
        /// The decode throws.
        case error
        /// The header is readable, the pixels are damaged.
        case truncated
        /// An image with some pixels missing.
        case partial
        /// An image, provided that memory stays bounded.
        case okIfBounded = "ok-if-bounded"
    }

    package let path: String
    /// The format of the bytes, in the spelling of an image format, or `unknown`.
    package let format: String
    package let expected: Outcome
    package let acceptable: [Outcome]
    /// Whether an error for an unsupported feature is acceptable too.
    package let optionalFeature: Bool?
    /// The number of pixels in a row, as stored.
    package let width: Int?
    /// The number of rows, as stored.
    package let height: Int?
    /// The stated orientation, 1...8.
    package let orientation: Int?
    /// The number of pixels in a row, as displayed.
    package let displayWidth: Int?
    /// The number of rows, as displayed.
    package let displayHeight: Int?
    /// The number of frames; 1 for a still.
    package let frames: Int?
    package let animated: Bool?
    package let alpha: Bool?
    /// The bits of a sample as stored, if the format states them.
    package let bitDepth: Int?
    package let icc: Bool?
    package let animation: Animation?
    /// The pixels, before orientation and without colour management.
    package let reference: Reference?

    /// The values of an animation as stored in the file.
    package struct Animation: Decodable, Sendable {
        /// 0 for an infinite loop; absent if the file states no count.
        package let loopCountRaw: Int?
        /// The durations of the frames in milliseconds.
        package let delaysMs: [Double]?
        /// SHA-256 of each composited canvas, as `rgba8Sha256` below; `nil` if decoders differ.
        package let frameRgba8Sha256: [String?]?
        /// Whether the still image of an APNG is part of its animation.
        package let defaultImageIsFirstFrame: Bool?
    }

    /// The expected pixels.
    package struct Reference: Decodable, Sendable {
        /// SHA-256 of RGBA rows in which every pixel with alpha 0 is all zero; 16 bits truncated to 8.
        package let rgba8Sha256: String?
        /// The same hash with 16 bits rounded to 8.
        package let rgba8RoundedSha256: String?
        package let candidates: [String: Candidate]?
        /// The mean of red, green and blue.
        package let meanRGB: [Double]?
        /// 16 × 16 cells of RGB, with premultiplied alpha.
        package let rgb16x16: Data?
        /// The same cells as displayed, after applying the orientation.
        package let rgb16x16Display: Data?
        package let alternatives: [String: Alternative]?
        /// The tolerance for a lossy decode.
        package let tolerance: Tolerance?
    }

    /// The valid pixels of another decoder.
    package struct Candidate: Decodable, Sendable {
        /// SHA-256 as in `Reference.rgba8Sha256`.
        package let rgba8Sha256: String?
    }

    /// The valid cells of another decoder.
    package struct Alternative: Decodable, Sendable {
        /// 16 × 16 cells of RGB.
        package let rgb16x16: Data?
    }

    package struct Tolerance: Decodable, Sendable {
        package let mean: Double
        package let cell: Double
    }

    /// Returns the bytes of the file.
    ///
    /// - Throws: An error if the file cannot be read.
    package func bytes() throws -> Data {
        guard let root = SharedCorpus.root else { return Data() }
        return try Data(contentsOf: root.appending(path: "corpus/\(path)"))
    }
}

extension CorpusFile: CustomStringConvertible {
    package var description: String { path }
}
