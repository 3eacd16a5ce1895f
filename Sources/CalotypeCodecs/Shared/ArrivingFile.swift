import CalotypeCore
import FoundationEssentials

/// The bytes of a file that is still arriving, and the error that ended its decode.
///
/// All bytes are retained: data at the end of a file can change how its start is shown.
struct ArrivingFile {
    /// Codecs receive at least this many bytes at a time, since each call has a fixed cost.
    private static let stepByteCount = 1024

    private(set) var data = Data()
    private var error: DecodeError?
    private var readByteCount = 0
    private let format: ImageFormat
    private let limits: DecodeLimits

    init(_ format: ImageFormat, limits: DecodeLimits) {
        self.format = format
        self.limits = limits
    }

    /// Appends the next bytes; returns whether the codec should read them now.
    ///
    /// - Throws: `DecodeError` for too many bytes, or the error that ended the decode.
    mutating func append(_ chunk: Data) throws(DecodeError) -> Bool {
        try check()
        guard !chunk.isEmpty else { return false }
        data.append(chunk)
        do throws(DecodeError) {
            try limits.checkInput(data, format: format)
        } catch {
            throw failed(error)
        }
        return data.count - readByteCount >= Self.stepByteCount
    }

    /// True if bytes have arrived that the codec has not read.
    var hasUnread: Bool { data.count > readByteCount }

    /// Notes that the codec has read all available bytes.
    mutating func markRead() {
        readByteCount = data.count
    }

    /// Checks at the end of the file that there are any bytes.
    func checkEnd() throws(DecodeError) {
        try check()
        try limits.checkInput(data, format: format)
    }

    /// Throws the error that ended the decode, if any.
    func check() throws(DecodeError) {
        if let error { throw error }
    }

    /// Ends the decode with an error that later calls throw.
    mutating func failed(_ error: DecodeError) -> DecodeError {
        self.error = error
        data = Data()
        return error
    }
}
