import Calotype
import CalotypeCore
import CalotypeLoading
import CalotypeSupport
import FoundationEssentials

/// The response fields that depend on the image, its URL and the time in whole seconds.
struct ResponseFields: Sendable {
    let entityTag: String
    let fields: [HeaderField]
    let contentFields: [HeaderField]
}

/// The fields of the last responses from memory: popular images are requested again within a second.
final class RecentResponseFields: Sendable {
    /// The identity of a response's bytes, by their address: they need neither be compared nor retained.
    struct Mark: Hashable {
        private let address: UInt
        private let byteCount: Int
        private let receivedAt: Timestamp
        private let second: Int64

        /// `nil` if the bytes are not from memory, or stale.
        init?(_ image: EncodedImage, at now: Timestamp) {
            guard image.source == .memory, !image.isStale, let receivedAt = image.receivedAt else {
                return nil
            }
            address = image.data.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
            byteCount = image.data.count
            self.receivedAt = receivedAt
            second = now.nanosecondsSince1970 / 1_000_000_000
        }
    }

    private let heads = Guarded<[ImageFormat: (mark: Mark, head: ResponseFields)]>([:])

    /// Returns the fields of a response, cached or created by `make`.
    func head(of image: EncodedImage, at now: Timestamp, make: () -> ResponseFields) -> ResponseFields {
        guard let mark = Mark(image, at: now) else { return make() }
        let format = image.info.format
        if let known = heads.withLock({ $0[format] }), known.mark == mark { return known.head }
        let head = make()
        heads.withLock { $0[format] = (mark, head) }
        return head
    }
}
