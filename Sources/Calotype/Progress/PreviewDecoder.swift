internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeSupport
internal import CalotypeTransforms
internal import FoundationEssentials

/// Decodes bytes for previews as they arrive; calls block, one at a time.
///
/// Bytes that cannot be decoded are ignored: the decode of the whole image reports damage.
final class PreviewDecoder: Sendable {
    private struct State {
        var head = Data()
        var decoder: (any IncrementalDecoder)?
        var format: ImageFormat?
        var thumbnails: ThumbnailSearch?
        var hasShownThumbnail = false
        var hasNoDecoder = false
        var isGivenUp = false
    }

    /// The number of bytes that suffice to recognize every format.
    private static let headByteCount = 64

    private static let formatsOfStills: Set<ImageFormat?> = [.jpeg, .tiff, .bmp, .ico]

    private let codecs: CodecRegistry
    private let options: DecodeOptions
    private let transforms: TransformChain
    private let state = Guarded(State())

    init(codecs: CodecRegistry, _ request: ImageRequest) {
        self.codecs = codecs
        options = request.decoding
        transforms = request.transforms
        guard request.options.previewsThumbnail, transforms.isEmpty else { return }
        state.withLock { $0.thumbnails = ThumbnailSearch() }
    }

    /// Appends the next bytes.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - wantsPreview: True if a consumer waits for a preview.
    /// - Returns: The preview, if it shows more than the last one.
    func append(_ bytes: Data, wantsPreview: Bool) -> Image? {
        state.withLock { state in
            guard !state.isGivenUp else { return nil }
            do {
                let thumbnail = try thumbnail(&state, bytes, wantsPreview: wantsPreview)
                try append(bytes, to: &state)
                if let thumbnail { return thumbnail }
                guard wantsPreview, let preview = try state.decoder?.preview(), isFinal(preview.image) else {
                    return nil
                }
                state.thumbnails = nil
                // The upper rows alone show less than the thumbnail.
                guard !state.hasShownThumbnail || preview.rowCount == preview.image.size.height else {
                    return nil
                }
                return try transforms.apply(to: preview.image, at: codecs.transformPlace)
            } catch {
                state = State(isGivenUp: true)
                return nil
            }
        }
    }

    /// True if a preview shows what the result will show.
    ///
    /// If animations are spared, a first frame may belong to an animation, or to a still that will be
    /// transformed.
    private func isFinal(_ preview: Image) -> Bool {
        !transforms.skipsAnimations || preview.animation != nil
            || Self.formatsOfStills.contains(preview.format)
    }

    /// Returns the thumbnail, once it has arrived and a preview is wanted.
    private func thumbnail(_ state: inout State, _ bytes: Data, wantsPreview: Bool) throws -> Image? {
        guard state.thumbnails != nil else { return nil }
        state.thumbnails?.append(bytes)
        guard wantsPreview, let head = state.thumbnails?.headToTry() else { return nil }
        let thumbnail = try codecs.thumbnail(in: head, options: options)
        state.hasShownThumbnail = thumbnail != nil
        if thumbnail != nil || state.thumbnails?.isOver == true { state.thumbnails = nil }
        return thumbnail
    }

    /// The format, once enough bytes have arrived.
    var format: ImageFormat? { state.withLock(\.format) }

    /// True if more bytes cannot lead to a preview.
    var isGivenUp: Bool { state.withLock(\.isGivenUp) }

    private func append(_ bytes: Data, to state: inout State) throws(DecodeError) {
        if let decoder = state.decoder { return try decoder.append(bytes) }
        guard !state.hasNoDecoder else { return state.isGivenUp = state.thumbnails == nil }
        state.head.append(bytes)
        guard state.head.count >= Self.headByteCount else { return }
        state.format = ImageFormat(sniffing: state.head)
        state.decoder = codecs.makeIncrementalDecoder(forHead: state.head, options: options)
        if let decoder = state.decoder {
            try decoder.append(state.head)
        } else {
            (state.hasNoDecoder, state.isGivenUp) = (true, state.thumbnails == nil)
        }
        state.head = Data()
    }
}

/// The first bytes of a file, which are searched for a thumbnail at doubling lengths.
private struct ThumbnailSearch {
    /// Raws and TIFF may have a thumbnail after more bytes, but then it saves little time.
    private static let maxByteCount = 4 << 20
    private static let minByteCount = 2048

    private var head = Data()
    private var neededByteCount = minByteCount

    /// True if further searches are of no use.
    var isOver: Bool { head.count >= Self.maxByteCount }

    mutating func append(_ bytes: Data) {
        head.append(bytes.prefix(Self.maxByteCount - head.count))
    }

    /// Returns the bytes, if twice as many have arrived as at the last search.
    mutating func headToTry() -> Data? {
        guard head.count >= neededByteCount || isOver else { return nil }
        neededByteCount = 2 * head.count
        return head
    }
}
