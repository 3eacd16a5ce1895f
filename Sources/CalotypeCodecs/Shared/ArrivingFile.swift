import CalotypeCore
import FoundationEssentials

/// The bytes of a file that is still arriving, and the error that ended its decode.
///
/// The bytes are kept: what a format has at its end can change how its start is shown.
struct ArrivingFile {
    /// Codecs get bytes by the thousand: a call costs something whatever it brings.
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

    /// Takes the next bytes; whether it is time for the codec to read what there is.
    ///
    /// - Throws: `DecodeError`, once they are too many, or what ended the decode.
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

    /// Whether bytes have come that the codec has not read.
    var hasUnread: Bool { data.count > readByteCount }

    /// Tells that the codec has read all there is.
    mutating func markRead() {
        readByteCount = data.count
    }

    /// Makes sure that there are bytes when no more will come.
    func checkEnd() throws(DecodeError) {
        try check()
        try limits.checkInput(data, format: format)
    }

    /// Throws what ended the decode, if anything has.
    func check() throws(DecodeError) {
        if let error { throw error }
    }

    /// Ends the decode with an error, to be thrown from now on.
    mutating func failed(_ error: DecodeError) -> DecodeError {
        self.error = error
        data = Data()
        return error
    }
}
