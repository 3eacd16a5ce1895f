import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import Testing
import WorkerSupport

/// The chunking of a file for an incremental decoder.
enum Pieces: CaseIterable {
    case bytes
    case random
    case whole

    func cut(_ data: Data) -> [Data] {
        var random = SeededGenerator(seed: 17)
        var pieces: [Data] = []
        var rest = data
        while !rest.isEmpty {
            let count =
                switch self {
                case .bytes: 1
                case .random: Int.random(in: 1...max(2, data.count / 20), using: &random)
                case .whole: rest.count
                }
            pieces.append(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return pieces
    }
}

/// Decodes a file in chunks, with a preview after each if `preview` is given.
func decodePiecewise(
    _ data: Data,
    _ pieces: Pieces,
    _ options: DecodeOptions = DecodeOptions(),
    by registry: CodecRegistry = .tested,
    preview: ((ImagePreview) throws -> Void)? = nil
) throws -> Image {
    guard let decoder = registry.makeIncrementalDecoder(forHead: data.prefix(64), options: options) else {
        throw DecodeError(.unrecognizedFormat, detail: "no decoder knows the bytes")
    }
    for piece in pieces.cut(data) {
        try decoder.append(piece)
        if let preview, let shown = try decoder.preview() { try preview(shown) }
    }
    return try decoder.finish()
}

/// Checks that both images are equal, frame by frame.
func expectEqual(_ image: Image, _ other: Image, _ comment: Comment? = nil) throws {
    #expect(image.size == other.size && image.pixelFormat == other.pixelFormat, comment)
    #expect(image.bytes == other.bytes, comment)
    #expect(image.scale == other.scale && image.format == other.format, comment)
    var metadata = other.replacingByteCount(image.metadata.encodedByteCount)
    // Metadata that is read from whole files only.
    metadata.exif = image.metadata.exif
    #expect(image.metadata == metadata, comment)
    #expect(image.animation?.loopCount == other.animation?.loopCount, comment)
    #expect(try image.animation?.decodedFrames() == other.animation?.decodedFrames(), comment)
}

/// Checks that an incremental decode has the outcome of an ordinary one: the same image, or an error.
func expectSameOutcome(
    _ data: Data,
    options: DecodeOptions = DecodeOptions(),
    comment: Comment? = nil
) throws {
    var whole: Image?
    var parted: Image?
    let error = decodeError { whole = try CodecRegistry.tested.decode(data, options: options) }
    let partedError = decodeError { parted = try decodePiecewise(data, .random, options) }
    let errors = "\(String(describing: (error, partedError))) \(comment ?? "")"
    #expect((error == nil) == (partedError == nil), Comment(rawValue: errors))
    if let whole, let parted { try expectEqual(whole, parted, comment) }
}

extension Image {
    fileprivate func replacingByteCount(_ byteCount: Int?) -> ImageMetadata {
        var metadata = metadata
        metadata.encodedByteCount = byteCount
        return metadata
    }
}
