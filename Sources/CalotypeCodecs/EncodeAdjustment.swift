public import CalotypeCore

/// Settings that many formats have, for callers that do not know the format: the options of a command, the
/// query of a URL.
///
/// ``ImageEncoder/adjusted(by:)`` gives an encoder with them.
public struct EncodeAdjustment: Hashable, Sendable {
    /// 0...100 on the format's own scale; `nil`, the default, keeps the encoder's.
    ///
    /// A format without a quality leaves it out of account.
    public var quality: Int?

    /// Whether no pixel may change, which a format that cannot promise it refuses; false, the default, keeps
    /// what the encoder does.
    public var isLossless: Bool

    /// How much time may be taken for a smaller result, from 0, the fastest, to 9, the smallest; `nil`, the
    /// default, keeps the encoder's.
    ///
    /// WebP's 0...6, JPEG XL's 1...9, PNG's levels 0...9 and AVIF's speeds 10...0 are spread over it; a
    /// format without such a scale leaves it out of account.
    public var effort: Int?

    /// Whether the whole picture is to be seen early while its bytes arrive; false, the default, keeps what
    /// the encoder does.
    ///
    /// JPEG is written in several scans then, PNG in several passes; other formats refuse it.
    public var isProgressive: Bool

    /// What shows through translucent pixels in a format without alpha; `nil`, the default, keeps the
    /// encoder's.
    public var background: RGBColor?

    /// The most bytes of the result; `nil`, the default, keeps the encoder's.
    public var byteCountMax: Int?

    /// Whether the result says whose the picture is (``EncodeOptions/keepsCopyright``); false, the default,
    /// keeps what the encoder does.
    public var keepsCopyright: Bool

    /// Creates an adjustment; each default, at its property, changes nothing.
    ///
    /// - Parameters:
    ///   - quality: 0...100.
    ///   - isLossless: Whether no pixel may change.
    ///   - effort: 0...9.
    ///   - isProgressive: Whether the whole picture is to be seen early.
    ///   - background: What shows through translucent pixels in a format without alpha.
    ///   - byteCountMax: The most bytes of the result.
    ///   - keepsCopyright: Whether the result says whose the picture is.
    public init(
        quality: Int? = nil,
        isLossless: Bool = false,
        effort: Int? = nil,
        isProgressive: Bool = false,
        background: RGBColor? = nil,
        byteCountMax: Int? = nil,
        keepsCopyright: Bool = false
    ) {
        self.quality = quality
        self.isLossless = isLossless
        self.effort = effort
        self.isProgressive = isProgressive
        self.background = background
        self.byteCountMax = byteCountMax
        self.keepsCopyright = keepsCopyright
    }
}

extension EncodeAdjustment {
    /// The range of ``effort``.
    package static let effortRange = 0...9

    /// Checks what an encoder does not check itself.
    ///
    /// - Throws: ``EncodeError`` with `invalidParameter` for an effort beyond its range, and with
    ///   `unsupportedFeature` where the format has no progressive form and is to have one.
    func check(for format: ImageFormat, hasProgressive: Bool = false) throws(EncodeError) {
        if let effort { try EncodeError.check(effort, in: Self.effortRange, "effort", format) }
        guard isProgressive, !hasProgressive else { return }
        throw EncodeError(
            .unsupportedFeature,
            format: format,
            detail: "\(format) is not written progressively; choose jpeg or png"
        )
    }

    /// The effort on a format's own scale, from its fastest to its smallest; the encoder's where none is
    /// given.
    func effort(from fastest: Int, to smallest: Int, else own: Int) -> Int {
        guard let effort else { return own }
        let span = Double(smallest - fastest) / Double(Self.effortRange.upperBound)
        return fastest + Int((Double(effort) * span).rounded())
    }
}
