extension String {
    /// The scale in the file name of a URL or path, before its extension: `@2x.` or `@3x.`, also as `%402x.`.
    package var statedScale: Double? {
        // Parsing the path takes microseconds, and few names state a scale.
        guard utf8.contains(UInt8(ascii: "x"), before: UInt8(ascii: ".")) else { return nil }
        var path = prefix { $0 != "?" && $0 != "#" }
        if let scheme = path.firstRange(of: "://") {
            // Skip the host.
            let rest = path[scheme.upperBound...]
            path = rest[(rest.firstIndex(of: "/") ?? rest.endIndex)...]
        }
        let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        for (digit, scale) in [("2", 2.0), ("3", 3.0)] {
            for sign in ["@", "%40"] where name.firstRange(of: "\(sign)\(digit)x.") != nil { return scale }
        }
        return nil
    }
}

extension String.UTF8View {
    /// Returns whether one byte occurs directly before another.
    fileprivate func contains(_ byte: UInt8, before next: UInt8) -> Bool {
        var previous: UInt8?
        for current in self {
            if current == next, previous == byte { return true }
            previous = current
        }
        return false
    }
}
