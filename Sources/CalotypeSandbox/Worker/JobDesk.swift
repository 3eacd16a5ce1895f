import CalotypeCodecs
import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// Does the jobs of a worker, one after the other.
struct JobDesk {
    /// What may be gone on with: of the last job that was a part of something.
    private enum Session {
        case none
        case frames(number: Int, any AnimationDecoder)
        case preview(number: Int, (any IncrementalDecoder)?)
    }

    private let codecs: CodecRegistry
    private let pieces: SharedPieces
    private var session = Session.none

    init(codecs: CodecRegistry, pieces: SharedPieces) {
        (self.codecs, self.pieces) = (codecs, pieces)
    }

    /// Does a job; whatever goes wrong is an answer.
    mutating func answer(to job: Job, _ input: SharedMemory?) -> Answer {
        do {
            // A worker that is to be stopped before it has begun is told so by its first look.
            return try answerOrFail(to: job, input)
        } catch let error as DecodeError {
            return .failure(label: error.code.label, error.format, detail: error.detail)
        } catch let error as EncodeError {
            return .failure(label: error.code.label, error.format, detail: error.detail)
        } catch {
            return .failure(label: DecodeError.Code.corrupt.label, nil, detail: "\(error)")
        }
    }

    private mutating func answerOrFail(to job: Job, _ input: SharedMemory?) throws -> Answer {
        switch job {
        case .info(let limits):
            return .info(try codecs.info(of: try data(input), limits: limits))
        case .decode(let options):
            return try answer(decoding(try data(input), options))
        case .frame(let number, let options, let index):
            let decoder = try frames(number, options, input)
            return try answer(pieceOfFrame(decoder, at: index))
        case .seek(let number, let options, let index):
            let decoder = try frames(number, options, input)
            if decoder.nextIndex > index { try decoder.seek(toward: index) }
            return .moved(decoder.nextIndex)
        case .preview(let number, let options):
            return try preview(number, options, try data(input))
        case .encode(let encoder, let head):
            return try encode(encoder.encoder, head, input)
        }
    }

    private func data(_ input: SharedMemory?) throws -> Data {
        guard let data = input?.data() else {
            throw DecodeError.outOfMemory(byteCount: input?.byteCount ?? 0)
        }
        return data
    }

    // MARK: Images

    private func head(of image: Image) throws -> ImageHead {
        var head = ImageHead(image)
        guard case .icc(let profile) = image.colorSpace else { return head }
        head.profile = unsafe profile.withUnsafeBytes { unsafe pieces.copy($0) }
        guard head.profile != nil else { throw DecodeError.outOfMemory(byteCount: profile.count) }
        return head
    }

    /// An image whose pixels the program has: they are in a piece that was given, which must be let go of
    /// here before the answer.
    private func given(_ image: Image) throws -> ImageHead {
        var head = try head(of: image)
        let number = unsafe image.pixels.withUnsafeBytes { bytes in
            unsafe pieces.give(bytes.baseAddress) ?? pieces.copy(bytes)
        }
        guard let number else { throw DecodeError.outOfMemory(byteCount: head.byteCount) }
        head.pixels = number
        return head
    }

    private func decoding(_ data: Data, _ options: DecodeOptions) throws -> ImageHead {
        let image = try codecs.decode(data, options: options)
        var head = try given(image)
        head.animation = try image.animation.map { animation in
            let durations = (0..<animation.frameCount).map { animation.duration(ofFrameAt: $0) }
            var writer = WireWriter()
            for duration in durations { writer.write(duration) }
            let number = unsafe writer.bytes.withUnsafeBytes { unsafe pieces.copy($0) }
            guard let number else { throw DecodeError.outOfMemory(byteCount: writer.bytes.count) }
            return AnimationHead(
                frameCount: animation.frameCount,
                loopCount: animation.loopCount,
                isWhole: animation.encodedData != nil,
                beginsWithImage: animation.residentFrame(at: 0) != nil,
                durations: number
            )
        }
        return head
    }

    /// The answer with an image that nobody here holds any more.
    private func answer(_ head: ImageHead) throws -> Answer {
        guard pieces.isHeld(head.pixels) else { return .image(head) }
        throw DecodeError(
            .outOfMemory,
            format: head.format,
            detail: "the pixels of an image are still in use"
        )
    }

    // MARK: Animations

    private mutating func frames(
        _ number: Int,
        _ options: DecodeOptions,
        _ input: SharedMemory?
    ) throws -> any AnimationDecoder {
        if case .frames(number, let decoder) = session, input == nil { return decoder }
        session = .none
        let image = try codecs.decode(try data(input), options: options)
        guard let animation = image.animation else {
            throw DecodeError(.corrupt, format: image.format, detail: "the file is no animation any more")
        }
        let decoder = try animation.makeFrameDecoder()
        session = .frames(number: number, decoder)
        return decoder
    }

    private func pieceOfFrame(_ decoder: any AnimationDecoder, at index: Int) throws -> ImageHead {
        if decoder.nextIndex != index { try decoder.seek(toward: index) }
        while decoder.nextIndex < index {
            try DecodeError.checkStop()
            _ = try decoder.nextFrame()
        }
        let frame = try decoder.nextFrame()
        var head = try head(of: frame)
        // A decoder may go on with the canvas that it has shown.
        let copy = unsafe frame.pixels.withUnsafeBytes { unsafe pieces.copy($0) }
        guard let copy else { throw DecodeError.outOfMemory(byteCount: head.byteCount) }
        head.pixels = copy
        return head
    }

    // MARK: Previews

    private mutating func preview(_ number: Int, _ options: DecodeOptions, _ data: Data) throws -> Answer {
        let decoder: (any IncrementalDecoder)?
        if case .preview(number, let known) = session {
            decoder = known
        } else {
            decoder = codecs.makeIncrementalDecoder(forHead: data, options: options)
        }
        session = .preview(number: number, decoder)
        guard let decoder else { return .nothing }
        try decoder.append(data)
        guard let preview = try decoder.preview() else { return .nothing }
        var head = try head(of: preview.image)
        head.rowCount = preview.rowCount
        let copy = unsafe preview.image.pixels.withUnsafeBytes { unsafe pieces.copy($0) }
        guard let copy else { throw DecodeError.outOfMemory(byteCount: head.byteCount) }
        head.pixels = copy
        return .image(head)
    }

    // MARK: Encoding

    private func encode(
        _ encoder: any ImageEncoder,
        _ head: ImageHead,
        _ input: SharedMemory?
    ) throws -> Answer {
        guard let pixels = input?.pixels() else {
            throw EncodeError(
                .outOfMemory,
                format: encoder.format,
                detail: "there is no memory for the pixels"
            )
        }
        let image = Image(
            size: head.size,
            pixelFormat: head.pixelFormat,
            pixels: pixels,
            format: head.format,
            metadata: head.metadata
        )
        let data = try encoder.encode(image)
        let number = unsafe data.withUnsafeBytes { unsafe pieces.copy($0) }
        guard let number else {
            throw EncodeError(
                .outOfMemory,
                format: encoder.format,
                detail: "there is no memory for the bytes"
            )
        }
        return .bytes(memory: number, count: data.count)
    }
}
