/// A change of one field of a worker's reply, or a point at which the worker exits.
///
/// It is written as text in the file or the pixels of a job, so that one program can perform any of them.
public struct Forgery: Hashable, Sendable, CustomStringConvertible {
    /// The number of the job in ``LyingWorker/Job``.
    public var job: Int
    /// The field of the reply; numbers after the last field are changes of the message and exits.
    public var field: Int
    /// The index of the replacement value.
    public var value: Int
    /// Whether the replies are those of an animation.
    public var isAnimated: Bool

    init(job: Int, field: Int, value: Int, isAnimated: Bool) {
        (self.job, self.field, self.value, self.isAnimated) = (job, field, value, isAnimated)
    }

    /// An unchanged reply.
    public static func none(isAnimated: Bool) -> Forgery {
        Forgery(job: 99, field: 0, value: 0, isAnimated: isAnimated)
    }

    /// Replies to image jobs that are sent twice, with bytes after them.
    public static var repeated: [Forgery] {
        [LyingWorker.Job.decode, .preview, .encode, .thumbnail, .transform].map { job in
            let field = job.reply(isAnimated: false, text: "").placeCount - 2
            return Forgery(job: job.rawValue, field: field, value: ForgedReply.repetition, isAnimated: false)
        }
    }

    private static let word = "FORGED "

    /// The text form in files.
    public var description: String { "\(Self.word)\(job) \(field) \(value) \(isAnimated ? 1 : 0);" }

    /// Parses the first forgery in bytes, if any.
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

    /// The forgeries of all jobs: each field with each value, each change of a whole message, each exit.
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

/// A reply with the bytes that follow it.
struct ForgedReply {
    var fields: [ForgedField]
    /// Bytes sent through the pipe before the numbers.
    var payload: [UInt8] = []
    /// Numbers sent through the pipe last.
    var numbers: [ForgedField] = []

    /// The exits: before, within and after the input, after the reply, within and after the following
    /// bytes.
    static let endCount = 6
    /// The changes of a message: missing, cut, longer, too long, repeated; a longer and a shorter payload.
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
