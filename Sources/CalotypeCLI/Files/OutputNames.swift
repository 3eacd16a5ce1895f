import Foundation

/// Names for the files of a folder, made from what was loaded into them.
enum OutputNames {
    private static let countMax = 100

    /// A name without extension for each address, no two alike, also where case makes no difference.
    static func stems(for addresses: [String]) -> [String] {
        var taken: Set<String> = []
        var lastNumber: [String: Int] = [:]
        return addresses.map { address in
            let stem = stem(of: address)
            var name = stem
            while !taken.insert(name.lowercased()).inserted {
                let number = (lastNumber[stem.lowercased()] ?? 1) + 1
                lastNumber[stem.lowercased()] = number
                name = "\(stem)-\(number)"
            }
            return name
        }
    }

    /// The last part of the path without its extension, in letters that every file system takes.
    private static func stem(of address: String) -> String {
        if address.lowercased().hasPrefix("data:") { return "data" }
        let url = URL(string: address) ?? URL(filePath: address)
        let last = url.path(percentEncoded: false).split(separator: "/").last.map(String.init)
        let name = last ?? url.host(percentEncoded: false) ?? ""
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        let whole = last == nil || parts.count < 2 ? name : parts.dropLast().joined(separator: ".")
        let safe = whole.map { $0.isLetter || $0.isNumber || "-_.".contains($0) ? $0 : "_" }
        let trimmed = String(safe.prefix(countMax).drop { $0 == "." })
        return trimmed.isEmpty ? "image" : trimmed
    }
}
