/// A cookie as a line in Netscape's format, which libcurl reads and writes; its value may have any bytes.
package struct CookieLine: Hashable, Sendable {
    /// The line without its line end.
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The seven fields, separated by tabs; fewer in an invalid line.
    package var fields: [ArraySlice<UInt8>] {
        bytes.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
    }
}
