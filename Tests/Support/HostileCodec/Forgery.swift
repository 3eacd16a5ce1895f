/// A change of one field of a worker's answer, or a point at which the worker ends.
///
/// It stands as text in the file or the pixels that a job is given, so that one program can be asked for any.
public struct Forgery: Hashable, Sendable, CustomStringConvertible {
    /// The number that a job has in messages.
    public var job: Int
    /// The field of the answer; behind the last ones are changes of the whole and ends of the process.
    public var field: Int
    /// The number of the value that stands there.
    public var value: Int
    /// Whether the answers are those of an animation.
    public var isAnimated: Bool

    init(job: Int, field: Int, value: Int, isAnimated: Bool) {
        (self.job, self.field, self.value, self.isAnimated) = (job, field, value, isAnimated)
    }

    /// The truth.
    public static func none(isAnimated: Bool) -> Forgery {
        Forgery(job: 99, field: 0, value: 0, isAnimated: isAnimated)
    }

    /// Answers to a picture's jobs that come twice, with bytes behind them.
    public static var repeated: [Forgery] {
        [LyingWorker.Job.decode, .preview, .encode, .thumbnail, .transform].map { job in
            let field = job.reply(isAnimated: false, text: "").placeCount - 2
            return Forgery(job: job.rawValue, field: field, value: ForgedReply.repetition, isAnimated: false)
        }
    }

    private static let word = "FORGED "

    /// As it stands in files.
    public var description: String { "\(Self.word)\(job) \(field) \(value) \(isAnimated ? 1 : 0);" }

    /// The one that stands in bytes; `nil` if there is none.
    init?(in bytes: [UInt8]) {
        let word = Array(Self.word.utf8)
        let starts = bytes.indices.lazy.filter { bytes[$0] == word[0] && bytes[$0...].starts(with: word) }
        guard let start = starts.first else { return nil }
        let text = String(
            decoding: bytes[start...].dropFirst(word.count).prefix { $0 != 0x3B },
            as: UTF8.self
        )
        let numbers = text.split(separator: " ").compactMap { Int($0) }
        guard numbers.count == 4 else { return nil }
        self.init(job: numbers[0], field: numbers[1], value: numbers[2], isAnimated: numbers[3] == 1)
    }

    /// Those of all jobs: each field with each value, each change of a whole message, each end.
    public static func all(isAnimated: Bool) -> [Forgery] {
        LyingWorker.Job.allCases.flatMap { job in
            let reply = job.reply(isAnimated: isAnimated, text: "")
            return (0..<reply.placeCount).flatMap { field in
                (0..<reply.valueCount(of: field)).map { value in
                    Forgery(job: job.rawValue, field: field, value: value, isAnimated: isAnimated)
                }
            }
        }
    }
}

/// A part of an answer.
enum ForgedField {
    case byte(UInt8)
    case integer(Int)
    case number(Double)
    case text(String)

    var bytes: [UInt8] {
        switch self {
        case .byte(let value): [value]
        case .integer(let value): Forged.integer(value)
        case .number(let value): Forged.integer(Int(truncatingIfNeeded: value.bitPattern))
        case .text(let text): Forged.text(text)
        }
    }

    /// The text that stands there instead.
    var lies: [[UInt8]] {
        switch self {
        case .byte: [0, 1, 2, 3, 127, 255].map { [$0] }
        case .integer:
            [0, 1, 2, -1, .max, .max - 1, .min, 1 << 20, 1 << 31, 1 << 32, 1 << 40, 1 << 60].map(
                Forged.integer
            )
        case .number:
            [0, -1, .nan, .infinity, -.infinity, 1e308, Double.leastNonzeroMagnitude, 1e19].map {
                Forged.integer(Int(truncatingIfNeeded: $0.bitPattern))
            }
        case .text:
            [
                Forged.text(""), Forged.text(String(repeating: "x", count: 1_000)),
                Forged.text(String(repeating: "\u{1B}[2J\n", count: 100)), Forged.integer(3) + [0, 255, 254],
                Forged.integer(1_001), Forged.integer(.max), Forged.integer(-1), Forged.integer(.min),
            ]
        }
    }
}

/// An answer with the bytes that follow it.
struct ForgedReply {
    var fields: [ForgedField]
    /// Bytes that come through the pipe before the last ones.
    var payload: [UInt8] = []
    /// Numbers that come through the pipe last.
    var numbers: [ForgedField] = []

    /// Ends of the process: before the input, amidst it, behind it, behind the answer, amidst what follows
    /// it, behind that.
    static let endCount = 6
    /// Changes of the whole: none of it, cut off, longer, too long, twice; a longer and a shorter payload.
    static let changeCount = 7
    static let repetition = 4

    var placeCount: Int { fields.count + numbers.count + 2 }

    func valueCount(of place: Int) -> Int {
        switch place {
        case ..<fields.count: fields[place].lies.count
        case ..<(fields.count + numbers.count): numbers[place - fields.count].lies.count
        case fields.count + numbers.count: Self.changeCount
        default: Self.endCount
        }
    }
}
