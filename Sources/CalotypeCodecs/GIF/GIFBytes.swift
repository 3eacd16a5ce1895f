import CalotypeCore

extension Span<UInt8> {
    /// Reads an integer of 16 bits.
    func littleEndian(_ index: Int) -> Int {
        Int(self[index]) | Int(self[index + 1]) << 8
    }

    /// Returns whether a part equals a text in ASCII.
    func holds(_ text: StaticString, _ range: Range<Int>) -> Bool {
        guard range.count == text.utf8CodeUnitCount else { return false }
        return range.indices.allSatisfy { index in
            unsafe self[index] == text.utf8Start[index - range.lowerBound]
        }
    }

    /// Returns whether a colour table contains only grays.
    func isGray(_ palette: Range<Int>) -> Bool {
        stride(from: palette.lowerBound, to: palette.upperBound, by: 3).allSatisfy { index in
            self[index] == self[index + 1] && self[index] == self[index + 2]
        }
    }
}

extension DecodeError {
    static func gif(_ code: Code, _ detail: String) -> DecodeError {
        DecodeError(code, format: .gif, detail: detail)
    }
}
