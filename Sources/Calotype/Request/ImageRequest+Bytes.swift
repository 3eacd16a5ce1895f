internal import CalotypeCore
internal import CalotypeTransforms
internal import FoundationEssentials

extension ImageRequest {
    /// The request that observers see for work on bytes without a URL.
    init(ofBytes data: Data, _ decoding: DecodeOptions, _ transforms: TransformChain) {
        self.init(url: Self.bytes, decoding: decoding, transforms: transforms)
        let format = ImageFormat(sniffing: data)
        bytesAtHand = "\(data.count) bytes of \(format.map { "\($0)" } ?? "an unknown format")"
    }

    /// The request that observers see for work on an image without a URL.
    init(of image: Image, _ transforms: TransformChain = []) {
        self.init(url: Self.bytes, transforms: transforms)
        bytesAtHand = "an image of \(image.size)"
    }

    // A scheme, a colon and a comma are a valid URL (RFC 2397).
    private static let bytes = URL(string: "data:,") ?? URL(filePath: "/")
}
