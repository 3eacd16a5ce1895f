import CalotypeCodecs
import CalotypeCore
import CalotypeTransforms

/// The examples of each step on one picture, in half its size, with the step below.
struct TransformSheet: Sendable {
    /// What an example has made of the picture.
    struct Cell: Sendable {
        /// The name of the step; that of the picture as it was is `picture`.
        let name: String
        /// The example as it is typed, what goes before it included.
        let example: String
        let image: Image
    }

    /// The room for a picture: large enough for the numbers of the examples.
    static let pictureSize = PixelSize(width: 480, height: 360)

    /// The picture first, then the steps in the order of their list.
    let cells: [Cell]

    /// Applies each example to a picture; blocks.
    ///
    /// - Parameters:
    ///   - picture: Any image; its first frame is shown, no larger than ``pictureSize``.
    ///   - steps: The steps.
    /// - Throws: ``CalotypeTransforms/TransformError`` where a step cannot be applied to this picture, or
    ///   ``CalotypeCodecs/CodecFailure``.
    init(of picture: Image, steps: [TransformStep] = TransformGrammar.steps) throws {
        let size = PixelBox(Self.pictureSize).fitting(picture.size)
        let small = try Resampler.resize(picture, to: size)
        let original = Cell(name: "picture", example: "the picture", image: small)
        cells =
            try [original]
            + steps.flatMap { step in
                try step.examples.map { example in
                    let texts = [step.preparation, example].compactMap(\.self)
                    let image = try texts.reduce(small) { try Self.chain(of: $1).apply(to: $0) }
                    return Cell(name: step.name, example: texts.joined(separator: " "), image: image)
                }
            }
    }

    /// The picture that is shown unless another one is given.
    static func drawnPicture() -> Image {
        Landscape(size: pictureSize, seed: 6).image()
    }

    /// The transforms of an example; what it would read from a file is drawn.
    private static func chain(of example: String) throws -> TransformChain {
        switch try TransformGrammar.parse(example) {
        case .chain(let chain):
            return chain
        case .withPicture(_, let make):
            let size = PixelSize(width: 128, height: 96)
            return make(Poster(size: size, seed: 1, isTranslucent: true).image())
        }
    }

    /// The sheet; blocks.
    ///
    /// - Throws: ``CalotypeTransforms/TransformError`` or ``CalotypeCodecs/CodecFailure`` where there is no
    ///   memory.
    func drawn() throws -> Image {
        let images = try cells.map { cell in
            try Self.onCheckerboard(Resampler.resize(cell.image, to: Self.shownSize(of: cell.image.size)))
        }
        let captions = try cells.map { cell in
            try Caption.picture(of: cell.example, widthMax: ContactSheet.cell.width, like: cell.image)
        }
        // Without a font, words become boxes that need more room than there is; the legend has to do then.
        let haveRoom = captions.allSatisfy { $0.size.height <= ContactSheet.cell.height / 3 }
        return ContactSheet(images, captions: haveRoom ? captions : []).drawn()
    }

    /// What is see-through shows squares behind it.
    private static func onCheckerboard(_ image: Image) throws -> Image {
        guard !image.isOpaque else { return image }
        let (size, square) = (image.size, 8)
        let pixels = PixelBuffer(byteCount: size.pixelCount) { bytes in
            for index in bytes.indices {
                let (row, column) = index.quotientAndRemainder(dividingBy: size.width)
                bytes[index] = (row / square + column / square).isMultiple(of: 2) ? 0xFF : 0xE6
            }
        }
        let board = Image(size: size, pixelFormat: .gray8, pixels: pixels)
        return try TransformChain.overlay(image).apply(to: board)
    }

    /// Half the size, so that sizes can be compared; less where the cell has no room for that.
    private static func shownSize(of size: PixelSize) -> PixelSize {
        let half = PixelSize(width: max(1, size.width / 2), height: max(1, size.height / 2))
        return PixelBox(ContactSheet.cell).fitting(half)
    }

    /// Which cell shows what, for those who cannot see the sheet; rows and columns are counted from 1.
    var records: [Record] {
        let columnCount = ContactSheet(cells.map(\.image)).columnCount
        return cells.enumerated().map { index, cell in
            Record([
                ("row", .count(index / columnCount + 1)), ("column", .count(index % columnCount + 1)),
                ("name", .text(cell.name)), ("example", .text(cell.example)),
            ])
        }
    }

    static let table = Table(columns: [
        .init("ROW", "row", width: 3, alignsRight: true),
        .init("COLUMN", "column", width: 6, alignsRight: true),
        .init("EXAMPLE", "example", width: 0),
    ])
}
