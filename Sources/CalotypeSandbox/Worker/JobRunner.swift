import CalotypeCodecs
import CalotypeCore
import CalotypeSupport
import CalotypeTransforms
import FoundationEssentials

struct JobRunner {
    private enum Session {
        case none
        case frames(number: Int, any AnimationDecoder)
        case preview(number: Int, (any IncrementalDecoder)?)
    }

    private let codecs: CodecRegistry
    private let ask: @Sendable (Int) throws -> Image
    private var session = Session.none

    init(codecs: CodecRegistry, ask: @escaping @Sendable (Int) throws -> Image) {
        (self.codecs, self.ask) = (codecs, ask)
    }

    /// Runs a job; errors become responses.
    mutating func reply(to job: Job, _ inputs: Result<[PixelBuffer], DecodeError>) -> Reply {
        do {
            // A job cancelled before it starts notices that at its first check.
            return try replyOrFail(to: job, try inputs.get())
        } catch let error as DecodeError {
            return Reply(.failure(label: error.code.label, error.format, detail: error.detail))
        } catch let error as EncodeError {
            return Reply(.failure(label: error.code.label, error.format, detail: error.detail))
        } catch let error as TransformError {
            return Reply(.failure(label: error.code.label, nil, detail: error.detail))
        } catch {
            return Reply(.failure(label: DecodeError.Code.corrupt.label, nil, detail: "\(error)"))
        }
    }

    private mutating func replyOrFail(to job: Job, _ inputs: [PixelBuffer]) throws -> Reply {
        let input = inputs.first
        // The program assumes that the session is gone too, and sends all bytes again.
        if job.session == nil { session = .none }
        switch job {
        case .info(let limits):
            return Reply(.info(try codecs.info(of: try bytes(input), limits: limits)))
        case .decode(let options):
            return Reply(whole: try codecs.decode(try bytes(input), options: options))
        case .thumbnail(let options):
            let thumbnail = try codecs.thumbnail(in: try bytes(input), options: options)
            return thumbnail.map { Reply($0) } ?? Reply(.nothing)
        case .frame(let number, let options, let index):
            return Reply(try frame(of: try frames(number, options, input), at: index))
        case .seek(let number, let options, let index):
            let decoder = try frames(number, options, input)
            if decoder.nextIndex > index { try decoder.seek(toward: index) }
            return Reply(.moved(decoder.nextIndex))
        case .preview(let number, let options):
            let preview = try preview(number, options, try bytes(input))
            return preview.map { Reply($0.image, rowCount: $0.rowCount) } ?? Reply(.nothing)
        case .encode(let encoder, let head):
            return Reply(try encoder.encoder.encode(try image(head, inputs)))
        case .transform(let head):
            let image = try image(head, Array(inputs.dropFirst()))
            let result = try transforms(input).apply(to: image)
            return result.pixels === image.pixels ? Reply(.nothing) : Reply(result)
        case .part(let head):
            return try transforms(input).part(of: try image(head, inputs.last)).map { Reply(.part($0)) }
                ?? Reply(.nothing)
        }
    }

    // MARK: Animations

    private mutating func frames(
        _ number: Int,
        _ options: DecodeOptions,
        _ input: PixelBuffer?
    ) throws -> any AnimationDecoder {
        if case .frames(number, let decoder) = session, input == nil { return decoder }
        session = .none
        let image = try codecs.decode(try bytes(input), options: options)
        guard let animation = image.animation else {
            throw DecodeError(.corrupt, format: image.format, detail: "the file is not animated")
        }
        let decoder = try animation.makeFrameDecoder()
        session = .frames(number: number, decoder)
        return decoder
    }

    private func frame(of decoder: any AnimationDecoder, at index: Int) throws -> Image {
        if decoder.nextIndex != index { try decoder.seek(toward: index) }
        while decoder.nextIndex < index {
            try DecodeError.checkStop()
            _ = try decoder.nextFrame()
        }
        return try decoder.nextFrame()
    }

    // MARK: Previews

    private mutating func preview(
        _ number: Int,
        _ options: DecodeOptions,
        _ data: Data
    ) throws -> ImagePreview? {
        let decoder: (any IncrementalDecoder)?
        if case .preview(number, let known) = session {
            decoder = known
        } else {
            decoder = codecs.makeIncrementalDecoder(forHead: data, options: options)
        }
        session = .preview(number: number, decoder)
        guard let decoder else { return nil }
        try decoder.append(data)
        return try decoder.preview()
    }

    // MARK: Encoding and transforms

    private func transforms(_ input: PixelBuffer?) throws -> TransformMessage {
        try TransformTable.decode(try bytes(input))
    }

    /// Returns the image of a header, with its pixels, and its profile and frame durations if it has them.
    private func image(_ head: ImageHead, _ inputs: [PixelBuffer]) throws -> Image {
        var image = try image(head, inputs.first)
        var rest = inputs.dropFirst()
        if head.profileByteCount > 0 {
            var metadata = head.metadata
            metadata.colorSpace = .icc(try bytes(rest.popFirst()))
            image = image.replacing(animation: nil, metadata: metadata)
        }
        if head.blocksByteCount > 0 {
            var metadata = image.metadata
            metadata.blocks = try blocks(head, try bytes(rest.popFirst()))
            image = image.replacing(animation: nil, metadata: metadata)
        }
        guard let animation = head.animation else { return image }
        let durations = try animation.durations(from: try bytes(rest.popFirst()))
        let frames = HostFrames(animation, durations: durations) { [ask, image] index in
            // All frames have the image's colours.
            let frame = try ask(index)
            return frame.replacing(animation: nil, metadata: image.metadata)
        }
        let first = animation.beginsWithImage ? image : nil
        return image.replacing(
            animation: Animation(
                source: frames,
                firstFrame: first,
                budget: FrameBudget(maxByteCount: 64 << 20)
            )
        )
    }

    private func blocks(_ head: ImageHead, _ bytes: Data) throws -> MetadataBlocks {
        guard bytes.count == head.blocksByteCount else { throw Self.noInput }
        return MetadataBlocks(
            exif: Data(bytes.prefix(head.exifByteCount)),
            xmp: Data(bytes.dropFirst(head.exifByteCount).prefix(head.xmpByteCount)),
            iptc: Data(bytes.suffix(head.iptcByteCount))
        )
    }

    private func image(_ head: ImageHead, _ pixels: PixelBuffer?) throws -> Image {
        guard let pixels, pixels.byteCount == head.byteCount else { throw Self.noInput }
        return Image(
            size: head.size,
            pixelFormat: head.pixelFormat,
            pixels: pixels,
            format: head.format,
            metadata: head.metadata
        )
    }

    private func bytes(_ input: PixelBuffer?) throws -> Data {
        guard let input else { throw Self.noInput }
        return input.data
    }

    /// Never happens with a program from the same build.
    private static let noInput = DecodeError(.corrupt, detail: "the job has no input")
}
