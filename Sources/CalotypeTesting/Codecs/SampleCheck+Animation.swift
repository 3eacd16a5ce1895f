import CalotypeCodecs
import CalotypeCore
import FoundationEssentials

extension SampleCheck {
    /// Checks that the frames counted by the header exist, in any order of access.
    func checkAnimation() throws {
        let info = try info()
        let image = try decode()
        guard info.frameCount > 1 else {
            try expect("a still has no animation", sample.name, image.animation == nil)
            let says = info.loopCount == nil && info.animationDuration == nil
            try expect("a still has no loops and no duration", sample.name, says)
            return
        }
        guard let animation = image.animation else {
            throw CodecConformance.Breach(
                promise: "an image of several frames has an animation",
                circumstances: sample.name
            )
        }
        try expect("the header states the frame count", sample.name, animation.frameCount == info.frameCount)
        try expect("the header states the loop count", sample.name, animation.loopCount == info.loopCount)
        try expect("a header states the duration", sample.name, animation.duration == info.animationDuration)
        let durations = (0..<animation.frameCount).map { animation.duration(ofFrameAt: $0) }
        let isShown = durations.allSatisfy { $0 >= .milliseconds(11) }
        try expect("each frame is shown for at least 11 ms", circumstances(durations), isShown)
        try checkOrder(animation, image)
    }

    /// Checks frames accessed out of order, with one decoder each and with a common one, against those in
    /// order.
    private func checkOrder(_ animation: Animation, _ image: Image) throws {
        let count = animation.frameCount
        let frames = try (0..<count).map { try animation.decodeFrame(at: $0) }
        for (index, frame) in frames.enumerated() {
            let found = circumstances("frame \(index)")
            try expect("a frame has the size of the image", found, frame.size == image.size)
            try expect("a frame is a still", found, frame.animation == nil)
        }
        let stride = max(1, count / 5)
        for index in Swift.stride(from: count - 1, through: 0, by: -stride) {
            guard let other = try decode().animation else { continue }
            let isSame = try other.decodeFrame(at: index).hasPixels(of: frames[index])
            try expect(
                "a frame decoded first equals that in sequence",
                circumstances("frame \(index)"),
                isSame
            )
        }
        guard let hopping = try decode().animation else { return }
        for index in [count - 1, 0, count / 2, 1, count - 1] {
            let isSame = try hopping.decodeFrame(at: index).hasPixels(of: frames[index])
            try expect("frames out of order equal those in order", circumstances("frame \(index)"), isSame)
        }
    }

    /// Checks that an encoded animation preserves its frames, durations and loop count.
    func checkAnimation(through encoder: any ImageEncoder) throws {
        let image = try decode()
        guard let animation = image.animation else { return }
        let back = try decoder.decode(try encoder.encode(image), options: DecodeOptions())
        let found = circumstances(encoder.cacheIdentity)
        try expect("an encoder preserves the size", found, back.size == image.size)
        guard let other = back.animation else {
            throw CodecConformance.Breach(promise: "an encoder preserves the frames", circumstances: found)
        }
        let indices = 0..<animation.frameCount
        try expect("an encoder preserves the frames", found, other.frameCount == indices.count)
        try expect("an encoder preserves the loop count", found, other.loopCount == animation.loopCount)
        for index in indices {
            let (was, became) = (animation.duration(ofFrameAt: index), other.duration(ofFrameAt: index))
            // The coarsest format has a resolution of hundredths of a second.
            let isNear = became >= was - .milliseconds(5) && became <= was + .milliseconds(5)
            try expect("an encoder preserves durations", "\(found): \(was) became \(became)", isNear)
        }
    }
}
