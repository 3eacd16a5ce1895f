/// Returns the path without `.` and `..` segments, including escaped ones, as browsers send it (RFC 3986
/// §5.2.4, URL Standard §4.4).
///
/// A path that leads above the root stays at the root. Empty segments stay.
package func removingDotSegments(_ path: ArraySlice<UInt8>) -> [UInt8] {
    guard path.contains(UInt8(ascii: ".")) || path.contains(UInt8(ascii: "%")) else { return Array(path) }
    var segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let isAbsolute = path.first == UInt8(ascii: "/")
    if isAbsolute { segments.removeFirst() }
    var kept: [ArraySlice<UInt8>] = []
    for (index, segment) in segments.enumerated() {
        let isLast = index == segments.count - 1
        switch dotCount(segment) {
        case 1: if isLast { kept.append([]) }
        case 2:
            _ = kept.popLast()
            if isLast { kept.append([]) }
        default: kept.append(segment)
        }
    }
    return (isAbsolute ? [UInt8(ascii: "/")] : []) + Array(kept.joined(separator: [UInt8(ascii: "/")]))
}

/// Returns 1 for `.`, 2 for `..`, with dots escaped or not; 0 for any other segment.
private func dotCount(_ segment: ArraySlice<UInt8>) -> Int {
    guard segment.count <= 6 else { return 0 }
    var (rest, count) = (segment, 0)
    while !rest.isEmpty {
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
        } else if rest.prefix(3).elementsEqual("%2e".utf8) || rest.prefix(3).elementsEqual("%2E".utf8) {
            rest = rest.dropFirst(3)
        } else {
            return 0
        }
        count += 1
    }
    return count <= 2 ? count : 0
}
