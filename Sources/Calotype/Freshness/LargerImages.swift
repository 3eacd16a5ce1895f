internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeSupport

/// The sizes of each image that may be in memory; pure, and limited.
///
/// It may list sizes that have left memory since, which a lookup there reveals.
struct LargerImages: Sendable {
    /// The maximum number of sizes of an image, and the maximum bytes of all keys.
    private static let maxSizeCount = 8
    private static let maxByteCount = 8 << 20

    private var keys: [ImageKey: [ImageKey]] = [:]
    private(set) var byteCount = 0

    /// Notes that a size of an image is put into memory.
    mutating func note(_ key: ImageKey, of picture: ImageKey) {
        var sizes = keys[picture] ?? []
        guard !sizes.contains(key) else { return }
        if byteCount > Self.maxByteCount { (keys, sizes, byteCount) = ([:], [], 0) }
        if keys[picture] == nil { byteCount += picture.rawValue.utf8.count + 256 }
        if sizes.count >= Self.maxSizeCount { byteCount -= sizes.removeFirst().rawValue.utf8.count + 64 }
        byteCount += key.rawValue.utf8.count + 64
        keys[picture] = sizes + [key]
    }

    /// Returns the sizes of an image that may be in memory.
    func keys(of picture: ImageKey) -> [ImageKey] { keys[picture] ?? [] }
}

extension KnownSources {
    /// Returns an image in memory that is larger than the request's target, if the request accepts one.
    func largerImage(_ identity: RequestIdentity, for request: ImageRequest) -> LoadedImage? {
        guard request.optionsBox?.options.acceptsLargerImage == true, request.cachePolicy.variant.reads,
            let picture = request.wholePicture(identity), isFresh(identity.source, for: request)
        else { return nil }
        let target = request.decoding.target
        let found = ([picture] + largerImages.withLock { $0.keys(of: picture) }).compactMap { key in
            cache.memory.peek(key).flatMap { image in
                key == picture || target.isCovered(by: image.size) ? image : nil
            }
        }
        // The smallest one, which takes the least work to draw.
        guard let image = found.min(by: { $0.size.pixelCount < $1.size.pixelCount }) else { return nil }
        var loaded = LoadedImage(image: image, source: .memory)
        loaded.isLarger = true
        return loaded
    }

    /// Notes an image that may be used in place of a smaller one.
    func noteSize(_ identity: RequestIdentity, of request: ImageRequest) {
        guard let picture = request.wholePicture(identity) else { return }
        largerImages.withLock { $0.note(identity.key, of: picture) }
    }
}

extension ImageRequest {
    /// Returns the key of the same image without a target; `nil` if it has no target, or if the variant may
    /// depend on its size.
    fileprivate func wholePicture(_ identity: RequestIdentity) -> ImageKey? {
        guard transforms.isEmpty, encoding == nil, storedEncoder == nil else { return nil }
        switch decoding.target {
        case .fit, .fill: break
        default: return nil
        }
        var whole = self
        whole.decoding.target = .full
        return RequestIdentity(source: identity.source, variant: whole.variantIdentity).key
    }
}

extension DecodeOptions.Target {
    /// True if an image of this size has at least as many pixels on each side as the result would have.
    fileprivate func isCovered(by size: PixelSize) -> Bool {
        switch self {
        case .fit(let box):
            box.width.map { size.width >= $0 } == true || box.height.map { size.height >= $0 } == true
        case .fill(let box):
            box.width.map { size.width >= $0 } != false && box.height.map { size.height >= $0 } != false
        default: false
        }
    }
}
