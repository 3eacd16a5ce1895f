import CalotypeCore
import Foundation

/// The addresses of a load: those that were typed, and those of lists.
enum AddressList {
    /// The addresses, each `-` replaced by what standard input lists, and what a file lists behind them.
    ///
    /// - Throws: ``CalotypeLoading/FetchError`` where a list cannot be read, ``CommandError`` where all of
    ///   them are empty.
    static func expanded(_ addresses: [String], _ listPath: String?) async throws -> [String] {
        var all: [String] = []
        for address in addresses {
            all += address == "-" ? lines(of: try await FileBytes.read("-")) : [address]
        }
        if let listPath { all += lines(of: try await FileBytes.read(listPath)) }
        guard !all.isEmpty else { throw CommandError(.nothingFound, detail: "the list names no image") }
        return all
    }

    /// The lines that say something.
    static func lines(of data: Data) -> [String] {
        text(of: data).split(whereSeparator: \.isNewline)
            .map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("#") }
    }

    /// The text of a list, without a byte order mark; with one, also UTF-16, as PowerShell writes it.
    private static func text(of data: Data) -> String {
        let head = Array(data.prefix(3))
        if head.starts(with: [0xEF, 0xBB, 0xBF]) { return PathBytes.text(of: data.dropFirst(3)) }
        let isLittleEndian = head.starts(with: [0xFF, 0xFE])
        guard isLittleEndian || head.starts(with: [0xFE, 0xFF]) else { return PathBytes.text(of: data) }
        let units = stride(from: data.startIndex + 2, to: data.endIndex - 1, by: 2).map { index in
            let (first, second) = (UInt16(data[index]), UInt16(data[index + 1]))
            return isLittleEndian ? second << 8 | first : first << 8 | second
        }
        return String(decoding: units, as: UTF16.self)
    }

    /// The address with the scheme that was probably omitted; `nil` where that is not likely.
    static func hint(for address: String) -> String? {
        let host = address.prefix { !"/:?".contains($0) }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        let isHost = host == "localhost" || labels.count > 1 && labels.allSatisfy { !$0.isEmpty }
        guard isHost, address.count > host.count, !address.contains("://") else { return nil }
        return "did you mean https://\(address)?"
    }
}
