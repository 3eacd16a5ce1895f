package import FoundationEssentials

/// What the manifest of the corpus tells of a file; the corpus' README says how each value was found.
package struct CorpusFile: Decodable, Sendable {
    /// What is to come of a decode.
    package enum Outcome: String, Decodable, Sendable {
        /// A whole image.
        case ok
        /// An error that is thrown.
        case error
        /// The header can be read, the pixels are damaged.
        case truncated
        /// An image of which some pixels are missing.
        case partial
        /// An image, as long as the memory stays bounded.
        case okIfBounded = "ok-if-bounded"
    }

    /// The path from the corpus' folder.
    package let path: String
    /// What the bytes are, in the spelling of an image format, or `unknown`.
    package let format: String
    /// What is to come of a decode.
    package let expected: Outcome
    /// Every outcome that is right.
    package let acceptable: [Outcome]
    /// Whether an error for want of a feature is right too.
    package let optionalFeature: Bool?
    /// Pixels in a row as stored.
    package let width: Int?
    /// Rows as stored.
    package let height: Int?
    /// The orientation that is stated, 1...8.
    package let orientation: Int?
    /// Pixels in a row as shown.
    package let displayWidth: Int?
    /// Rows as shown.
    package let displayHeight: Int?
    /// Frames; 1 for a still.
    package let frames: Int?
    /// Whether there is an animation.
    package let animated: Bool?
    /// Whether the file carries transparency.
    package let alpha: Bool?
    /// Bits of a sample as stored, where the format states them.
    package let bitDepth: Int?
    /// Whether the file carries a colour profile.
    package let icc: Bool?
    /// The animation's raw values.
    package let animation: Animation?
    /// The pixels, before orientation and without colour management.
    package let reference: Reference?

    /// The values of an animation as they stand in the file.
    package struct Animation: Decodable, Sendable {
        /// 0 for ever; absent where the file says nothing.
        package let loopCountRaw: Int?
        /// How long each frame is shown, in milliseconds.
        package let delaysMs: [Double]?
        /// SHA-256 of each composited canvas as `rgba8Sha256` below; nothing where decoders differ.
        package let frameRgba8Sha256: [String?]?
        /// Whether the still image of an APNG is part of its animation.
        package let defaultImageIsFirstFrame: Bool?
    }

    /// What is known of the pixels.
    package struct Reference: Decodable, Sendable {
        /// SHA-256 of RGBA rows in which every pixel of alpha 0 is all zero; 16 bits cut to 8.
        package let rgba8Sha256: String?
        /// The same with 16 bits rounded to 8.
        package let rgba8RoundedSha256: String?
        /// Other digests that decoders rightly give.
        package let candidates: [String: Candidate]?
        /// The mean of red, green and blue.
        package let meanRGB: [Double]?
        /// 16 × 16 cells of RGB, colours multiplied by alpha.
        package let rgb16x16: Data?
        /// The same as shown: after the orientation.
        package let rgb16x16Display: Data?
        /// Other cells that decoders rightly give.
        package let alternatives: [String: Alternative]?
        /// How far a lossy decode may be off.
        package let tolerance: Tolerance?
    }

    /// Pixels that another decoder rightly gives.
    package struct Candidate: Decodable, Sendable {
        /// SHA-256 as above.
        package let rgba8Sha256: String?
    }

    /// Cells that another decoder rightly gives.
    package struct Alternative: Decodable, Sendable {
        /// 16 × 16 cells of RGB.
        package let rgb16x16: Data?
    }

    /// How far a lossy decode may be off, in levels.
    package struct Tolerance: Decodable, Sendable {
        /// The mean over all cells.
        package let mean: Double
        /// Each cell.
        package let cell: Double
    }

    /// The bytes of the file.
    ///
    /// - Throws: Where it cannot be read.
    package func bytes() throws -> Data {
        guard let root = SharedCorpus.root else { return Data() }
        return try Data(contentsOf: root.appending(path: "corpus/\(path)"))
    }
}

extension CorpusFile: CustomStringConvertible {
    /// The path.
    package var description: String { path }
}
