import CalotypeCache
import CalotypeTesting
import Foundation
import PipelineSupport

/// A store that counts the blobs it has returned that are still held.
struct CountedByteStore: ForwardingByteStore {
    var base = FakeByteStore()
    /// The number of returned blobs that are held, and its maximum.
    let held = SharedState((count: 0, most: 0))

    func blobInfo(forKey key: String) async throws -> BlobInfo? { try await base.blobInfo(forKey: key) }

    func blob(forKey key: String) async throws -> Blob? {
        guard var blob = try await base.blob(forKey: key) else { return nil }
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, blob.data.count), alignment: 16)
        unsafe copy.copyBytes(from: blob.data)
        held.withLock { $0 = ($0.count + 1, max($0.most, $0.count + 1)) }
        guard let start = copy.baseAddress else { return nil }
        unsafe blob.data = Data(
            bytesNoCopy: start,
            count: blob.data.count,
            deallocator: .custom { [held] bytes, _ in
                unsafe bytes.deallocate()
                held.withLock { $0.count -= 1 }
            }
        )
        return blob
    }
}
