package import CalotypeTesting

/// The source of a model's decisions: random numbers in a test, the input's bytes under a fuzzer.
package protocol Choices {
    /// Whether there are no more decisions.
    var isExhausted: Bool { get }

    /// Returns a number in 0..<count; `count` is at least 1.
    mutating func choice(of count: Int) -> Int
}

extension Choices {
    package mutating func choice<Element>(from elements: [Element]) -> Element {
        elements[choice(of: elements.count)]
    }

    /// Returns true once in `count` times, on average.
    package mutating func isOnce(in count: Int) -> Bool {
        choice(of: count) == 0
    }
}

extension SeededGenerator: Choices {
    package var isExhausted: Bool { false }

    package mutating func choice(of count: Int) -> Int {
        Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(count)).high)
    }
}

/// Decisions derived from bytes, with as few bytes as each needs; zeros after the end of the bytes.
package struct ByteChoices: Choices {
    private var bytes: ArraySlice<UInt8>

    /// Creates decisions that end with `bytes`.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes[...]
    }

    package var isExhausted: Bool { bytes.isEmpty }

    package mutating func choice(of count: Int) -> Int {
        var number = 0
        var reach = 1
        while reach < count {
            number = number << 8 | Int(bytes.popFirst() ?? 0)
            reach <<= 8
        }
        return number % count
    }
}
