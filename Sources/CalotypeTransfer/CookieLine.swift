/// A cookie as a line in Netscape's format, which libcurl reads and writes; its value may be any bytes.
package struct CookieLine: Hashable, Sendable {
    /// The line without its end.
    package let bytes: [UInt8]

    /// Creates a line.
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The seven fields, between tabs; fewer in a line that is not valid.
    package var fields: [ArraySlice<UInt8>] {
        bytes.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
    }
}
