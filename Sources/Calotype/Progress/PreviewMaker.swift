internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeSupport
internal import CalotypeTransforms
internal import FoundationEssentials

/// Decodes bytes as they come, for previews; its calls block, one at a time.
///
/// What it cannot decode it leaves alone: whether the image is damaged is told by the decode of the whole.
final class PreviewMaker: Sendable {
    private struct State {
        var head = Data()
        var decoder: (any IncrementalDecoder)?
        var format: ImageFormat?
        var isGivenUp = false
    }

    /// As many bytes as tell every format from the others.
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
    }

    /// Takes the next bytes.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - wantsPreview: Whether somebody would look at a preview.
    /// - Returns: What can be shown now and could not before.
    func append(_ bytes: Data, wantsPreview: Bool) -> Image? {
        state.withLock { state in
            guard !state.isGivenUp else { return nil }
            do {
                try append(bytes, to: &state)
                guard wantsPreview, let preview = try state.decoder?.preview()?.image else { return nil }
                return try transforms.apply(to: preview)
            } catch {
                state = State(isGivenUp: true)
                return nil
            }
        }
    }

    /// The format, once enough bytes have come.
    var format: ImageFormat? { state.withLock(\.format) }

    /// Whether more bytes can lead to a preview.
    var isGivenUp: Bool { state.withLock(\.isGivenUp) }

    private func append(_ bytes: Data, to state: inout State) throws(DecodeError) {
        if let decoder = state.decoder { return try decoder.append(bytes) }
        state.head.append(bytes)
        guard state.head.count >= Self.headByteCount else { return }
        state.format = ImageFormat(sniffing: state.head)
        state.decoder = codecs.makeIncrementalDecoder(forHead: state.head, options: options)
        // Whether more frames come is not known; the first must not be shown as it will not be.
        let mayBeSpared = transforms.sparesAnimations && !Self.formatsOfStills.contains(state.format)
        guard let decoder = state.decoder, !mayBeSpared else {
            state = State(isGivenUp: true)
            return
        }
        try decoder.append(state.head)
        state.head = Data()
    }
}
