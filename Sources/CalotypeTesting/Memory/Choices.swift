/// Where a model takes its decisions from: random numbers in a test, the input's bytes under a fuzzer.
package protocol Choices {
    /// Whether there are no more decisions to be had.
    var isExhausted: Bool { get }

    /// A number from 0 up to, and without, `count`, which is at least 1.
    mutating func choice(of count: Int) -> Int
}

extension Choices {
    /// One of several.
    package mutating func choice<Element>(from elements: [Element]) -> Element {
        elements[choice(of: elements.count)]
    }

    /// True once in so many times.
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

/// Decisions out of bytes, as few bytes for each as its choices need; zeros where the bytes have ended.
package struct ByteChoices: Choices {
    private var bytes: ArraySlice<UInt8>

    /// Creates choices that end with `bytes`.
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
