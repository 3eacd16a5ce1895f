import CalotypeCodecs
import CalotypeCore
import CalotypeTransforms

/// The examples of each step on one image at half size, with the step as caption.
struct TransformSheet: Sendable {
    struct Cell: Sendable {
        /// The name of the step; `picture` for the original image.
        let name: String
        /// The example as typed, including its preparation.
        let example: String
        let image: Image
    }

    /// The maximum size of the image: large enough for the numbers of the examples.
    static let pictureSize = PixelSize(width: 480, height: 360)

    /// The original image first, then the steps in list order.
    let cells: [Cell]

    /// Applies each example to a picture; blocks.
    ///
    /// - Parameters:
    ///   - picture: Any image; its first frame is shown, no larger than ``pictureSize``.
    ///   - steps: The steps.
    /// - Throws: ``CalotypeTransforms/TransformError`` if a step cannot be applied to this image, or
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

    /// Returns the default image.
    static func drawnPicture() -> Image {
        SheetPicture.drawn(pictureSize)
    }

    /// Returns the transforms of an example; images that it would read from a file are drawn.
    private static func chain(of example: String) throws -> TransformChain {
        switch try TransformGrammar.parse(example) {
        case .chain(let chain):
            return chain
        case .withPicture(_, let make):
            let disc: TransformChain = .circle(border: Stroke(width: 6, color: .white))
            return make(try disc.apply(to: SheetPicture.drawn(PixelSize(width: 96, height: 96))))
        }
    }

    /// Draws the sheet; blocks.
    ///
    /// - Throws: ``CalotypeTransforms/TransformError`` or ``CalotypeCodecs/CodecFailure`` if memory is
    ///   insufficient.
    func drawn() throws -> Image {
        let images = try cells.map { cell in
            try Self.onCheckerboard(Resampler.resize(cell.image, to: Self.shownSize(of: cell.image.size)))
        }
        let captions = try cells.map { cell in
            try Caption.picture(of: cell.example, maxWidth: ContactSheet.cell.width, like: cell.image)
        }
        // Without a font, text becomes boxes larger than the cells; only the printed legend remains.
        let haveRoom = captions.allSatisfy { $0.size.height <= ContactSheet.cell.height / 3 }
        return ContactSheet(images, captions: haveRoom ? captions : []).drawn()
    }

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

    /// Returns half the size, so that sizes can be compared; less if the cell is too small.
    private static func shownSize(of size: PixelSize) -> PixelSize {
        let half = PixelSize(width: max(1, size.width / 2), height: max(1, size.height / 2))
        return PixelBox(ContactSheet.cell).fitting(half)
    }

    /// The legend: the cell of each example; rows and columns are counted from 1.
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
