import CalotypeCore
import CalotypeTransforms

/// The pixels of Cloudflare's options, in their order: trim, flip, rotate, resize, filter, pad.
struct CloudflareLayout: SizedTransform {
    /// A rectangle by the pixels cut off at each side, or by its own size.
    struct Trim: Hashable, Sendable {
        var top = 0
        var right = 0
        var bottom = 0
        var left = 0
        /// The size of the rectangle; `nil` for the rest of the side.
        var width: Int?
        var height: Int?

        /// Returns the rectangle in an image.
        func part(of size: PixelSize) -> PixelRect {
            PixelRect(
                x: left,
                y: top,
                width: width ?? size.width - left - right,
                height: height ?? size.height - top - bottom
            )
        }
    }

    /// A box that the image is placed in the middle of.
    struct Box: Hashable, Sendable {
        var size: PixelSize
        var color: RGBAColor
    }

    var trim = Trim()
    /// The size and the crop; its filters, canvas and padding are not used.
    var frame = ImgproxyLayout()
    var filters: TransformChain = []
    var box: Box?

    /// Whether every image stays unchanged.
    var isIdle: Bool { self == CloudflareLayout() }

    var cacheIdentity: String {
        let trims = [trim.top, trim.right, trim.bottom, trim.left, trim.width ?? -1, trim.height ?? -1]
        let box = box.map { "\($0.size.width)x\($0.size.height):\($0.color.hex)" } ?? ""
        let filters = filters.cacheIdentity
        return "cloudflare-1(trim=\(trims.map(String.init).joined(separator: ":")),box=\(box),"
            + "filters=\(filters.utf8.count):\(filters),\(frame.cacheIdentity))"
    }

    func validate() throws {
        try filters.validate()
    }

    func chain(for size: PixelSize) throws(TransformError) -> TransformChain {
        try chain(for: size, isDrawn: false)
    }

    /// Enlarges drawings regardless of `fit`.
    func chain(for size: PixelSize, isDrawn: Bool) throws(TransformError) -> TransformChain {
        var (chain, size) = (TransformChain(), size)
        if trim != Trim() {
            let part = trim.part(of: size)
            let visible = PixelSize(
                width: min(size.width, part.x + part.width) - part.x,
                height: min(size.height, part.y + part.height) - part.y
            )
            guard visible.width > 0, visible.height > 0 else {
                throw TransformError(.emptyResult, detail: "the trim leaves nothing of the image, \(size)")
            }
            chain = chain.appending(
                .crop(to: PixelRect(x: part.x, y: part.y, width: visible.width, height: visible.height))
            )
            size = visible
        }
        chain = chain.appending(try frame.chain(for: size, isDrawn: isDrawn)).appending(filters)
        guard let box else { return chain }
        return chain.appending(.pad(to: box.size, color: box.color))
    }
}
