import CalotypeCore
import FoundationEssentials

/// An answer of a worker, with what follows it.
struct Reply {
    var answer: Answer
    var payloads: [Payload] = []

    init(_ answer: Answer) { self.answer = answer }

    /// Encoded bytes.
    init(_ data: Data) {
        answer = .bytes(count: data.count)
        payloads = [.data(data)]
    }

    /// An image without its animation: what its head tells, its profile, its pixels.
    ///
    /// A profile that is longer than any real one is left out, as decoders do: the program would refuse it.
    init(_ image: Image, rowCount: Int = 0) {
        var head = ImageHead(image)
        head.rowCount = rowCount
        if case .icc(let profile) = image.colorSpace, profile.count <= ImageHead.profileByteCountMax {
            head.profileByteCount = profile.count
            payloads.append(.data(profile))
        }
        head.pixelOffset = image.pixels.handOver()
        if head.pixelOffset == nil { payloads.append(.pixels(image.pixels)) }
        answer = .image(head)
    }

    /// An image with what is known of its animation; the durations of the frames come last.
    init(whole image: Image) {
        self.init(image)
        guard case .image(var head) = answer, let animation = image.animation else { return }
        head.animation = AnimationHead(animation, of: image)
        payloads.append(.data(animation.durationBytes))
        answer = .image(head)
    }
}
