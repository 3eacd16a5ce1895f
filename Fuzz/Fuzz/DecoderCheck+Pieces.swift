import CalotypeCodecs
import CalotypeCore
import FoundationEssentials

/// Bytes that are appended at once, and whether a preview is asked for behind them.
struct Piece {
    var byteCount: Int
    var isShown: Bool
}

extension DecoderCheck {
    /// How many bytes before those of the file choose its pieces.
    static let choiceCount = 8

    /// A file in pieces that bytes choose, one after another, again and again.
    ///
    /// Each stands for 1 to 4065 bytes; a preview is requested after odd ones. If their sum is odd, the image
    /// is to be small.
    func checkPieces(of input: Data, chosenBy choices: Data) {
        let pieces = choices.map {
            Piece(byteCount: 1 + Int($0) * Int($0) / 16, isShown: $0 % 2 == 1)
        }
        let options = choices.reduce(0, &+) % 2 == 1 ? Self.small : Self.whole
        checkPieces(pieces, of: input, options, decode(input, options))
    }

    /// Bytes in pieces give the same pixels as all at once, or an error as well.
    func checkPieces(_ pieces: [Piece], of input: Data, _ options: DecodeOptions, _ whole: Image?) {
        guard let incremental = decoder.makeIncrementalDecoder(for: format, options: options) else { return }
        var rest = input
        let isTaken = attempt { () throws(DecodeError) in
            try append(&rest, in: pieces, to: incremental, whole)
            return true
        }
        let image = attempt { () throws(DecodeError) in
            if isTaken == nil { try incremental.append(rest) }
            return try incremental.finish()
        }
        precondition(image == nil || isTaken == true, "more bytes do not help where some were refused")
        guard comparesPixels else {
            precondition(image == nil || whole == nil || image?.size == whole?.size, "pieces give the size")
            return
        }
        precondition((image == nil) == (whole == nil), "pieces give an image where the whole does")
        guard let image, let whole else { return }
        precondition(image.size == whole.size, "pieces give the size of the whole")
        precondition(image.pixelFormat == whole.pixelFormat, "pieces give the layout of the whole")
        precondition(image.firstPixels == whole.firstPixels, "pieces give the pixels of the whole")
    }

    /// Some previews are asked for, each of which may cost as much as a decode.
    private func append(
        _ rest: inout Data,
        in pieces: [Piece],
        to incremental: any IncrementalDecoder,
        _ whole: Image?
    ) throws(DecodeError) {
        var shownCount = 0
        var round = 0
        while !rest.isEmpty {
            let piece = pieces[round % pieces.count]
            let bytes = rest.prefix(piece.byteCount)
            rest = rest.dropFirst(bytes.count)
            round += 1
            try incremental.append(bytes)
            guard piece.isShown, shownCount < 32 else { continue }
            shownCount += 1
            let preview = try incremental.preview()
            guard let preview, let whole else { continue }
            precondition(preview.image.size == whole.size, "a preview has the size of the image")
        }
    }
}
