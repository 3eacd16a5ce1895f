import CalotypeCore
import Foundation

/// The addresses of a load: typed ones, and those of lists.
enum AddressList {
    /// Returns the addresses: each `-` is replaced by the list on standard input, and the list of a file
    /// follows.
    ///
    /// - Throws: ``CalotypeLoading/FetchError`` if a list cannot be read, ``CommandError`` if all of them are
    ///   empty.
    static func expanded(_ addresses: [String], _ listPath: String?) async throws -> [String] {
        var all: [String] = []
        for address in addresses {
            all += address == "-" ? lines(of: try await FileBytes.read("-")) : [address]
        }
        if let listPath { all += lines(of: try await FileBytes.read(listPath)) }
        guard !all.isEmpty else { throw CommandError(.nothingFound, detail: "the list contains no address") }
        return all
    }

    /// Returns the lines that are neither empty nor comments.
    static func lines(of data: Data) -> [String] {
        text(of: data).split(whereSeparator: \.isNewline)
            .map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("#") }
    }

    /// Returns the text of a list, without a byte order mark; with one, UTF-16 is decoded too, as PowerShell
    /// writes it.
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

    /// Returns a hint with the scheme that was probably omitted; `nil` if that is unlikely.
    static func hint(for address: String) -> String? {
        let host = address.prefix { !"/:?".contains($0) }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        let isHost = host == "localhost" || labels.count > 1 && labels.allSatisfy { !$0.isEmpty }
        guard isHost, address.count > host.count, !address.contains("://") else { return nil }
        return "did you mean https://\(address)?"
    }
}
