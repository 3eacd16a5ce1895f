import CalotypeCore
import FoundationEssentials
import Testing

/// A valid file, and the requirements for its truncated and altered copies.
struct DamageSample: Sendable, CustomTestStringConvertible {
    let name: String
    let data: Data

    /// The byte counts that may give an image, because the file lacks only its end or has whole frames.
    var spared: Set<Int> = []

    /// The permitted errors of a file that is cut to a byte count.
    var cutCodes: @Sendable (Int) -> [DecodeError.Code] = { _ in
        [.empty, .unrecognizedFormat, .truncated, .corrupt]
    }

    /// The byte counts that give the error `truncated`.
    var truncated: [Int] = []

    /// Bytes after the end that change nothing.
    var suffixes: [Data] = []

    var roundCount = 200

    /// The ranges of bytes that are altered in turns; the whole file unless set.
    var altered: [Range<Int>?] = [nil]

    var seed: UInt64 = 7

    /// The limits for altered copies: a flipped bit in the size must stay cheap.
    var limits = DecodeLimits(maxPixelCount: 1_000_000)

    /// The number of decoded frames of an altered copy.
    var maxFrameCount = Int.max

    init(_ name: String, _ data: Data) {
        self.name = name
        self.data = data
    }

    init(_ name: String, _ data: Data, _ change: (inout DamageSample) -> Void) {
        self.init(name, data)
        change(&self)
    }

    var testDescription: String { name }

    /// Text after the end of a file.
    static let text = Data("PK and so on".utf8)
}
