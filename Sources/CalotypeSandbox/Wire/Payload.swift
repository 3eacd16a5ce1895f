import CalotypeCore
import FoundationEssentials

/// Bytes sent through a pipe after a message.
///
/// Their pages are shared, not copied, so they must not change until the other side has read them.
enum Payload {
    case data(Data)
    case pixels(PixelBuffer)

    var byteCount: Int {
        switch self {
        case .data(let data): data.count
        case .pixels(let pixels): pixels.byteCount
        }
    }

    func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch self {
        case .pixels(let pixels): return try unsafe pixels.withUnsafeBytes(body)
        case .data(let data):
            let result = unsafe data.withUnsafeBytes { bytes -> Swift.Result<Result, Failure> in
                do throws(Failure) { return .success(try unsafe body(bytes)) } catch {
                    return .failure(error)
                }
            }
            return try result.get()
        }
    }
}

extension PixelBuffer {
    /// The bytes as `Data` that shares the buffer.
    var data: Data {
        unsafe withUnsafeBytes { bytes in
            guard unsafe !bytes.isEmpty, let start = bytes.baseAddress else { return Data() }
            return unsafe Data(
                bytesNoCopy: UnsafeMutableRawPointer(mutating: start),
                count: bytes.count,
                deallocator: .custom { _, _ in _ = self }
            )
        }
    }
}
