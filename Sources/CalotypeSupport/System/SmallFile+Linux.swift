/// Kernel files, which are small and report no size.
package enum SmallFile {
    /// Larger than every file read here; more bytes would be cut off.
    private static let maxByteCount = 1 << 18

    /// Reads the text of a file; `nil` if the file cannot be read.
    package static func text(atPath path: String) -> String? {
        guard let descriptor = unsafe Descriptor(open(path, O_RDONLY | O_CLOEXEC)) else { return nil }
        return text(of: descriptor.number)
    }

    /// Reads the text of an open file from its beginning.
    package static func text(of descriptor: Int32) -> String? {
        var bytes = [UInt8](repeating: 0, count: maxByteCount)
        var length = 0
        while length < bytes.count {
            let count = unsafe bytes.withUnsafeMutableBytes { buffer in
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[length...])
                return unsafe pread(descriptor, rest.baseAddress, rest.count, off_t(length))
            }
            if count < 0 {
                if errno == EINTR { continue }
                return nil
            }
            if count == 0 { break }
            length += count
        }
        return String(decoding: bytes[..<length], as: UTF8.self)
    }
}
