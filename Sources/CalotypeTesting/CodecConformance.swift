public import CalotypeCodecs
internal import CalotypeCore
public import FoundationEssentials

/// Checks that a decoder, and encoders of its format, keep what the protocols promise; for tests of codecs of
/// one's own.
///
/// It decodes the samples, and what the encoders make of pictures of its own, in many ways: whole, smaller,
/// under limits, cut, damaged, in pieces. It blocks for seconds, and throws at the first promise that is
/// broken.
public struct CodecConformance: Sendable {
    /// A promise that a codec has broken.
    public struct Breach: Error, Hashable, Sendable, CustomStringConvertible {
        /// The promise, as a sentence.
        public let promise: String

        /// The sample, and how it was asked for.
        public let circumstances: String

        /// Creates a breach, for checks of one's own.
        public init(promise: String, circumstances: String) {
            self.promise = promise
            self.circumstances = circumstances
        }

        /// The promise, with the word for what happened to it.
        public var description: String { "broken: \(promise) (\(circumstances))" }
    }

    /// A sound file of the format.
    public struct Sample: Sendable {
        /// What it is called in a breach.
        public var name: String

        /// The file.
        public var data: Data

        /// Bytes at the end without which the picture is whole nevertheless: padding, a mask that is not
        /// needed, text after the pixels; 0 unless set.
        public var expendableByteCount: Int

        /// Creates a sample.
        ///
        /// - Parameters:
        ///   - name: What it is called in a breach.
        ///   - data: The file.
        ///   - expendableByteCount: Bytes at the end that may be missing.
        public init(_ name: String, _ data: Data, expendableByteCount: Int = 0) {
            self.name = name
            self.data = data
            self.expendableByteCount = expendableByteCount
        }
    }

    /// The decoder that is checked.
    public var decoder: any ImageDecoder

    /// Encoders of the format, no two of them equal; the first makes samples.
    public var encoders: [any ImageEncoder]

    /// Files of others, sound ones.
    public var samples: [Sample]

    /// Whether the first encoder keeps the frames of an animated sample; false unless set.
    public var encodesAnimations: Bool

    /// Bytes at the end of what the encoders make without which the picture is whole; 0 unless set.
    public var expendableByteCount: Int

    /// Where the damage is; 1 unless set.
    public var seed: UInt64

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - decoder: The decoder that is checked.
    ///   - encoders: Encoders of the format, no two of them equal.
    ///   - samples: Files of others; small ones, since each is decoded some hundred times.
    ///   - encodesAnimations: Whether the first encoder keeps the frames of an animated sample.
    ///   - expendableByteCount: Bytes at the end of what the encoders make that may be missing.
    ///   - seed: Where the damage is.
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

    /// Checks everything.
    ///
    /// - Throws: ``Breach``, or what the codec throws where it must not.
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
            try expect("no bytes are the error `empty`", "info", code: .empty) { () throws(DecodeError) in
                _ = try decoder.info(of: data, limits: DecodeLimits())
            }
            try expect("no bytes are the error `empty`", "decode", code: .empty) { () throws(DecodeError) in
                _ = try decoder.decode(data, options: DecodeOptions())
            }
        }
        try expect("a decoder has a format", "formats", !decoder.formats.isEmpty)
    }
}

// MARK: - Promises

/// Throws a breach where a promise is not kept.
func expect(
    _ promise: String,
    _ circumstances: @autoclosure () -> String,
    _ isKept: Bool
) throws(CodecConformance.Breach) {
    guard isKept else { throw CodecConformance.Breach(promise: promise, circumstances: circumstances()) }
}

/// Throws a breach where a closure does not throw a decoder's error of a code.
func expect(
    _ promise: String,
    _ circumstances: String,
    code: DecodeError.Code,
    of body: () throws(DecodeError) -> Void
) throws(CodecConformance.Breach) {
    let error = failure(of: body)
    let found = error.map { "\(circumstances): \($0)" } ?? "\(circumstances): no error"
    try expect(promise, found, error?.code == code)
    try expect("an error says what was found", circumstances, error?.detail.isEmpty == false)
}

/// What a closure throws; `nil` where it throws nothing.
func failure(of body: () throws(DecodeError) -> Void) -> DecodeError? {
    do throws(DecodeError) {
        try body()
        return nil
    } catch {
        return error
    }
}

extension Image {
    /// Whether two images have equal pixels of one format and size.
    func hasPixels(of other: Image) -> Bool {
        guard size == other.size, pixelFormat == other.pixelFormat else { return false }
        return pixels.withUnsafeBytes { left in
            other.pixels.withUnsafeBytes { right in left.elementsEqual(right) }
        }
    }
}
