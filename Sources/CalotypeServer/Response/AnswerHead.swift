import Calotype
import CalotypeCore
import CalotypeLoading
import CalotypeSupport
import FoundationEssentials

/// The fields of an answer that follow from the picture and its URL, and the time in whole seconds.
struct AnswerHead: Sendable {
    let entityTag: String
    /// The fields of every answer.
    let fields: [HeaderField]
    /// The fields of those that have a body.
    let contentFields: [HeaderField]
}

/// The heads of the last answers from memory: what is asked for often is asked for again within a second.
final class RecentHeads: Sendable {
    /// Which bytes a head belongs to: where they are, so that the bytes need not be compared, and not kept.
    struct Mark: Hashable {
        private let address: UInt
        private let byteCount: Int
        private let receivedAt: Timestamp
        private let second: Int64

        /// `nil` where the head belongs to nothing that is kept in memory.
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

    private let heads = Guarded<[ImageFormat: (mark: Mark, head: AnswerHead)]>([:])

    /// The head of an answer; made by `make` unless it is known.
    func head(of image: EncodedImage, at now: Timestamp, make: () -> AnswerHead) -> AnswerHead {
        guard let mark = Mark(image, at: now) else { return make() }
        let format = image.info.format
        if let known = heads.withLock({ $0[format] }), known.mark == mark { return known.head }
        let head = make()
        heads.withLock { $0[format] = (mark, head) }
        return head
    }
}
