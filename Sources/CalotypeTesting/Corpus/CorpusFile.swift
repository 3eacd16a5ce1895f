public import FoundationEssentials

/// What the manifest of the corpus tells of a file; the corpus' README says how each value was found.
public struct CorpusFile: Decodable, Sendable {
    /// What is to come of a decode.
    public enum Outcome: String, Decodable, Sendable {
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
    public let path: String
    /// What the bytes are, in the spelling of an image format, or `unknown`.
    public let format: String
    /// What is to come of a decode.
    public let expected: Outcome
    /// Every outcome that is right.
    public let acceptable: [Outcome]
    /// Whether an error for want of a feature is right too.
    public let optionalFeature: Bool?
    /// Pixels in a row as stored.
    public let width: Int?
    /// Rows as stored.
    public let height: Int?
    /// The orientation that is stated, 1...8.
    public let orientation: Int?
    /// Pixels in a row as shown.
    public let displayWidth: Int?
    /// Rows as shown.
    public let displayHeight: Int?
    /// Frames; 1 for a still.
    public let frames: Int?
    /// Whether there is an animation.
    public let animated: Bool?
    /// Whether the file carries transparency.
    public let alpha: Bool?
    /// Bits of a sample as stored, where the format states them.
    public let bitDepth: Int?
    /// Whether the file carries a colour profile.
    public let icc: Bool?
    /// The animation's raw values.
    public let animation: Animation?
    /// The pixels, before orientation and without colour management.
    public let reference: Reference?

    /// The values of an animation as they stand in the file.
    public struct Animation: Decodable, Sendable {
        /// 0 for ever; absent where the file says nothing.
        public let loopCountRaw: Int?
        /// How long each frame is shown, in milliseconds.
        public let delaysMs: [Double]?
        /// SHA-256 of each composited canvas as `rgba8Sha256` below; nothing where decoders differ.
        public let frameRgba8Sha256: [String?]?
        /// Whether the still image of an APNG is part of its animation.
        public let defaultImageIsFirstFrame: Bool?
    }

    /// What is known of the pixels.
    public struct Reference: Decodable, Sendable {
        /// SHA-256 of RGBA rows in which every pixel of alpha 0 is all zero; 16 bits cut to 8.
        public let rgba8Sha256: String?
        /// The same with 16 bits rounded to 8.
        public let rgba8RoundedSha256: String?
        /// Other digests that decoders rightly give.
        public let candidates: [String: Candidate]?
        /// The mean of red, green and blue.
        public let meanRGB: [Double]?
        /// 16 × 16 cells of RGB, colours multiplied by alpha.
        public let rgb16x16: Data?
        /// The same as shown: after the orientation.
        public let rgb16x16Display: Data?
        /// Other cells that decoders rightly give.
        public let alternatives: [String: Alternative]?
        /// How far a lossy decode may be off.
        public let tolerance: Tolerance?
    }

    /// Pixels that another decoder rightly gives.
    public struct Candidate: Decodable, Sendable {
        /// SHA-256 as above.
        public let rgba8Sha256: String?
    }

    /// Cells that another decoder rightly gives.
    public struct Alternative: Decodable, Sendable {
        /// 16 × 16 cells of RGB.
        public let rgb16x16: Data?
    }

    /// How far a lossy decode may be off, in levels.
    public struct Tolerance: Decodable, Sendable {
        /// The mean over all cells.
        public let mean: Double
        /// Each cell.
        public let cell: Double
    }

    /// The bytes of the file.
    ///
    /// - Throws: Where it cannot be read.
    public func bytes() throws -> Data {
        guard let root = SharedCorpus.root else { return Data() }
        return try Data(contentsOf: root.appending(path: "corpus/\(path)"))
    }
}

extension CorpusFile: CustomStringConvertible {
    /// The path.
    public var description: String { path }
}
