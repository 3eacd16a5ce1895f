import CalotypeCore
import CalotypeTransforms

/// A step of the command line: its syntax, its description and its transform.
struct TransformStep: Sendable {
    let name: String

    /// The description, as a sentence.
    let purpose: String

    /// The syntax; the words before each `=` are its keys.
    let grammar: String

    /// Valid examples, provided that their files exist; the first is the simplest.
    let examples: [String]

    /// The name of the value without a key, if there is one.
    let bareKey: String?

    /// The step applied before an example on a sheet, so that the example has an effect.
    let preparation: String?

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

    func parsed(_ text: StepText) throws(StepError) -> ParsedStep {
        try make(try StepArguments(text, of: self))
    }

    /// The text for people: description, syntax and examples.
    var text: String {
        let lines = [purpose, grammar] + examples
        return lines.enumerated().map { index, line in
            let title = index == 0 ? name : ""
            return title + String(repeating: " ", count: max(1, Self.titleWidth - title.count)) + line
        }.joined(separator: "\n")
    }

    private static let titleWidth = 12

    var record: Record {
        Record([
            ("name", .text(name)), ("grammar", .text(grammar)), ("example", examples.first.map { .text($0) }),
        ])
    }
}

enum ParsedStep: Sendable {
    case chain(TransformChain)
    /// A transform that needs an image file, which has not been read yet.
    case withPicture(path: String, make: @Sendable (Image) -> TransformChain)
}

extension ParsedStep {
    /// Validates what does not depend on a file.
    ///
    /// - Throws: ``CalotypeTransforms/TransformError``.
    func validate() throws {
        switch self {
        case .chain(let chain):
            try chain.validate()
        case .withPicture(_, let make):
            // Any image will do: only the other values are validated.
            let pixels = PixelBuffer(byteCount: 1) { $0.initializeMemory(as: UInt8.self, repeating: 0) }
            let pixel = Image(size: PixelSize(width: 1, height: 1), pixelFormat: .gray8, pixels: pixels)
            try make(pixel).validate()
        }
    }
}
