import CalotypeCore
import FoundationEssentials

/// A response of a worker and its payloads.
struct Reply {
    var answer: Answer
    var payloads: [Payload] = []

    init(_ answer: Answer) { self.answer = answer }

    /// Encoded bytes.
    init(_ data: Data) {
        answer = .bytes(count: data.count)
        payloads = [.data(data)]
    }

    /// An image without its animation: header, profile, pixels.
    ///
    /// A profile above the size limit is left out, as decoders do: the program would reject it.
    init(_ image: Image, rowCount: Int = 0) {
        var head = ImageHead(image)
        head.rowCount = rowCount
        if case .icc(let profile) = image.colorSpace, profile.count <= ImageHead.maxProfileByteCount {
            head.profileByteCount = profile.count
            payloads.append(.data(profile))
        }
        head.pixelOffset = image.pixels.handOver()
        if head.pixelOffset == nil { payloads.append(.pixels(image.pixels)) }
        answer = .image(head)
    }

    /// An image with the properties of its animation; the frame durations come last.
    init(whole image: Image) {
        self.init(image)
        guard case .image(var head) = answer, let animation = image.animation else { return }
        head.animation = AnimationHead(animation, of: image)
        payloads.append(.data(animation.durationBytes))
        answer = .image(head)
    }
}
