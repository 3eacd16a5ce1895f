import CalotypeCore
import CalotypeTransforms

/// A step of the command line: how it is written, what it does, and how it becomes a transform.
struct TransformStep: Sendable {
    /// What it is called.
    let name: String

    /// What it does, as a sentence.
    let purpose: String

    /// How it is written; what stands before each `=` is one of its keys.
    let grammar: String

    /// Some that can be given as they are, where their files are there; the first is the plainest.
    let examples: [String]

    /// What the value without a key is called, where there may be one.
    let bareKey: String?

    /// The step that goes before an example where one is shown, so that it has something to do.
    let preparation: String?

    /// The keys of its arguments.
    let keys: Set<String>

    private let make: @Sendable (StepArguments) throws(StepError) -> ParsedStep

    init(
        _ grammar: String,
        examples: [String],
        bareKey: String? = nil,
        preparation: String? = nil,
        does purpose: String,
        make: @escaping @Sendable (StepArguments) throws(StepError) -> ParsedStep
    ) {
        name = String(grammar.prefix { $0.isLetter })
        self.grammar = grammar
        self.examples = examples
        self.bareKey = bareKey
        self.preparation = preparation
        self.purpose = purpose
        self.make = make
        keys = Set(grammar.matches(of: /([A-Za-z]+)=/).map { String($0.output.1) })
    }

    /// Understands the arguments of this step.
    ///
    /// - Throws: ``StepError``.
    func parsed(_ text: StepText) throws(StepError) -> ParsedStep {
        try make(try StepArguments(text, of: self))
    }

    /// As a person reads it: what it does, how it is written, and the examples.
    var text: String {
        let lines = [purpose, grammar] + examples
        return lines.enumerated().map { index, line in
            let title = index == 0 ? name : ""
            return title + String(repeating: " ", count: max(1, Self.titleWidth - title.count)) + line
        }.joined(separator: "\n")
    }

    private static let titleWidth = 12

    /// As JSON tells it.
    var record: Record {
        Record([
            ("name", .text(name)), ("grammar", .text(grammar)), ("example", examples.first.map { .text($0) }),
        ])
    }
}

/// A step that has been understood.
enum ParsedStep: Sendable {
    /// A transform.
    case chain(TransformChain)
    /// A transform that needs the picture of a file, which has not been read yet.
    case withPicture(path: String, make: @Sendable (Image) -> TransformChain)
}

extension ParsedStep {
    /// Checks what can be checked before a file is read.
    ///
    /// - Throws: ``CalotypeTransforms/TransformError``.
    func validate() throws {
        switch self {
        case .chain(let chain):
            try chain.validate()
        case .withPicture(_, let make):
            // Any picture does: it is the other values that are checked.
            let pixels = PixelBuffer(byteCount: 1) { $0.initializeMemory(as: UInt8.self, repeating: 0) }
            let pixel = Image(size: PixelSize(width: 1, height: 1), pixelFormat: .gray8, pixels: pixels)
            try make(pixel).validate()
        }
    }
}
