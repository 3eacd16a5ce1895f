public import CalotypeCodecs
internal import CalotypeCore
public import FoundationEssentials

/// A check that a decoder, and encoders of its format, conform to their protocols, for tests of custom
/// codecs.
///
/// It decodes the samples, and the encoders' output for generated images, in many ways: whole, smaller, under
/// limits, truncated, damaged, in chunks. It blocks for seconds, and throws at the first broken promise.
public struct CodecConformance: Sendable {
    /// A broken promise of a codec.
    public struct Breach: Error, Hashable, Sendable, CustomStringConvertible {
        /// The promise, as a sentence.
        public let promise: String

        /// The sample, and the options of the decode.
        public let circumstances: String

        /// Creates a breach, for custom checks.
        public init(promise: String, circumstances: String) {
            self.promise = promise
            self.circumstances = circumstances
        }

        /// The promise, prefixed with `broken`.
        public var description: String { "broken: \(promise) (\(circumstances))" }
    }

    /// A valid file of the format.
    public struct Sample: Sendable {
        /// The name of the sample in a breach.
        public var name: String

        /// The file.
        public var data: Data

        /// The number of bytes at the end that may be missing without affecting the image: padding, an
        /// unneeded mask, text after the pixels; 0 unless set.
        public var expendableByteCount: Int

        /// Creates a sample.
        ///
        /// - Parameters:
        ///   - name: The name of the sample in a breach.
        ///   - data: The file.
        ///   - expendableByteCount: The number of bytes at the end that may be missing.
        public init(_ name: String, _ data: Data, expendableByteCount: Int = 0) {
            self.name = name
            self.data = data
            self.expendableByteCount = expendableByteCount
        }
    }

    /// The decoder to check.
    public var decoder: any ImageDecoder

    /// Encoders of the format, no two of them equal; the first one creates samples.
    public var encoders: [any ImageEncoder]

    /// Further valid files.
    public var samples: [Sample]

    /// Whether the first encoder preserves the frames of an animated sample; false unless set.
    public var encodesAnimations: Bool

    /// The number of bytes at the end of the encoders' output that may be missing; 0 unless set.
    public var expendableByteCount: Int

    /// The seed for the positions of damage; 1 unless set.
    public var seed: UInt64

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - decoder: The decoder to check.
    ///   - encoders: Encoders of the format, no two of them equal.
    ///   - samples: Further files; small ones, since each is decoded some hundred times.
    ///   - encodesAnimations: Whether the first encoder preserves the frames of an animated sample.
    ///   - expendableByteCount: The number of bytes at the end of the encoders' output that may be missing.
    ///   - seed: The seed for the positions of damage.
    public init(
        _ decoder: any ImageDecoder,
        encoders: [any ImageEncoder] = [],
        samples: [Sample] = [],
        encodesAnimations: Bool = false,
        expendableByteCount: Int = 0,
        seed: UInt64 = 1
    ) {
        self.decoder = decoder
        self.encoders = encoders
        self.samples = samples
        self.encodesAnimations = encodesAnimations
        self.expendableByteCount = expendableByteCount
        self.seed = seed
    }

    /// Runs all checks.
    ///
    /// - Throws: ``Breach``, or an unexpected error of the codec.
    public func run() throws {
        try checkEmptyInput()
        try checkEncoders()
        for sample in samples + (try encodedSamples()) {
            let check = SampleCheck(decoder: decoder, sample: sample)
            try check.checkWhole()
            try check.checkTargets()
            try check.checkLimits()
            try check.checkCuts()
            try check.checkDamage(seed: seed)
            try check.checkPieces(seed: seed)
            try check.checkAnimation()
            if encodesAnimations, let encoder = encoders.first { try check.checkAnimation(through: encoder) }
        }
    }

    private func checkEmptyInput() throws {
        for data in [Data(), Data([1, 2, 3]).dropFirst(3)] {
            try expect("empty data is the error `empty`", "info", code: .empty) { () throws(DecodeError) in
                _ = try decoder.info(of: data, limits: DecodeLimits())
            }
            try expect("empty data is the error `empty`", "decode", code: .empty) { () throws(DecodeError) in
                _ = try decoder.decode(data, options: DecodeOptions())
            }
        }
        try expect("a decoder has a format", "formats", !decoder.formats.isEmpty)
    }
}

// MARK: - Promises

/// Throws a breach if a promise is broken.
func expect(
    _ promise: String,
    _ circumstances: @autoclosure () -> String,
    _ isKept: Bool
) throws(CodecConformance.Breach) {
    guard isKept else { throw CodecConformance.Breach(promise: promise, circumstances: circumstances()) }
}

/// Throws a breach if a closure does not throw a decoder's error with a code.
func expect(
    _ promise: String,
    _ circumstances: String,
    code: DecodeError.Code,
    of body: () throws(DecodeError) -> Void
) throws(CodecConformance.Breach) {
    let error = failure(of: body)
    let found = error.map { "\(circumstances): \($0)" } ?? "\(circumstances): no error"
    try expect(promise, found, error?.code == code)
    try expect("an error has a detail", circumstances, error?.detail.isEmpty == false)
}

/// Returns the error that a closure throws; `nil` if it throws none.
func failure(of body: () throws(DecodeError) -> Void) -> DecodeError? {
    do throws(DecodeError) {
        try body()
        return nil
    } catch {
        return error
    }
}

extension Image {
    /// Returns whether two images have equal pixels, formats and sizes.
    func hasPixels(of other: Image) -> Bool {
        guard size == other.size, pixelFormat == other.pixelFormat else { return false }
        return pixels.withUnsafeBytes { left in
            other.pixels.withUnsafeBytes { right in left.elementsEqual(right) }
        }
    }
}
