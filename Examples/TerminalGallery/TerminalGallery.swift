import Calotype
import Glibc

/// Draws pictures side by side in a terminal with true colour, each as soon as there is something to see.
///
/// `TerminalGallery URL…`
@main struct TerminalGallery {
    static func main() async throws {
        let addresses = CommandLine.arguments.dropFirst()
        let (ended, end) = AsyncStream<Void>.makeStream()
        print("\u{1B}[2J", terminator: "")
        let tiles = addresses.enumerated().map { Tile($0, address: $1) { end.yield() } }
        for tile in tiles { tile.load() }

        for await _ in ended.prefix(tiles.count) {}
        let rowCount = (tiles.count + Tile.columns - 1) / Tile.columns * Tile.rowCount
        print("\u{1B}[\(rowCount + 1);1H", terminator: "")
        try await ImagePipeline.shared.shutdown()
    }
}

/// A place in the grid: a target with one slot.
@MainActor final class Tile: @MainActor ImageTarget {
    static let columns = 4
    static let width = 20
    static let rowCount = 11

    private let slot = ImageSlot()
    private let left: Int
    private let top: Int
    private let address: String
    private let didEnd: () -> Void

    init(_ index: Int, address: String, didEnd: @escaping () -> Void) {
        left = index % Self.columns * Self.width + 1
        top = index / Self.columns * Self.rowCount + 1
        self.address = address
        self.didEnd = didEnd
    }

    func load() {
        var request = ImageRequest(addressOrPath: address)
        let box = PixelBox(width: Self.width - 1, height: (Self.rowCount - 1) * 2)
        request?.decoding.target = .fit(box)
        request?.decoding.frames = .first
        slot.load(request, into: self)
    }

    func show(_ content: SlotContent, in slot: ImageSlot) {
        if let image = content.image { draw(image) }
        switch content {
        case .empty where slot.request == nil: write("no URL")
        case .failure(let error, _): write("\(error)")
        case .empty: return write("…")
        case .placeholder, .preview: return
        case .result: break
        }
        didEnd()
    }

    func report(_ progress: LoadProgress, in slot: ImageSlot) {
        write(progress.fraction.map { "\(Int($0 * 100)) %" } ?? "\(progress.byteCount / 1_024) KiB")
    }

    private func write(_ text: String) {
        print("\u{1B}[\(top);\(left)H\(text.prefix(Self.width - 1))", terminator: "")
        fflush(nil)
    }

    /// Each character is two pixels, one above the other.
    private func draw(_ image: Image) {
        let (pixels, size) = (image.rgba8(), image.size)
        func color(_ x: Int, _ y: Int) -> String {
            guard y < size.height else { return "0;0;0" }
            let start = (y * size.width + x) * 4
            return pixels[start..<start + 3].map { String($0) }.joined(separator: ";")
        }
        for y in stride(from: 0, to: size.height, by: 2) {
            let row = (0..<size.width).map { x in
                "\u{1B}[38;2;\(color(x, y))m\u{1B}[48;2;\(color(x, y + 1))m▀"
            }
            print("\u{1B}[\(top + y / 2);\(left)H\(row.joined())\u{1B}[0m", terminator: "")
        }
        fflush(nil)
    }
}
