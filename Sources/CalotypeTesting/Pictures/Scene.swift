import CalotypeCore

/// The contents of a generated image; computed with integers only, so that rounding is the same on every
/// machine.
struct Scene {
    private struct Shape {
        let x, y, radius: Int
        let isSquare: Bool
        let color: (Int, Int, Int)
    }

    private static let cloudSide = 9

    private let size: PixelSize
    private let sky: (Int, Int, Int)
    private let ground: (Int, Int, Int)
    private let clouds: [Int]
    private let shapes: [Shape]

    init(_ size: PixelSize, _ random: inout SeededGenerator) {
        self.size = size
        sky = Self.color(&random, 90...230)
        ground = Self.color(&random, 30...140)
        clouds = (0..<Self.cloudSide * Self.cloudSide).map { _ in Int.random(in: -40...40, using: &random) }
        shapes = (0..<8).map { _ in
            Shape(
                x: Int.random(in: 0..<size.width, using: &random),
                y: Int.random(in: 0..<size.height, using: &random),
                radius: 1 + min(size.width, size.height) / Int.random(in: 5...14, using: &random),
                isSquare: Bool.random(using: &random),
                color: Self.color(&random, 10...245)
            )
        }
    }

    func pixel(_ x: Int, _ y: Int, grain: Int) -> TestImages.Pixel {
        if let shape = shapes.last(where: { Self.covers($0, x, y) }) {
            return pixel(shape.color, lighter: grain, alpha: 255)
        }
        let faded = (
            mix(sky.0, ground.0, y), mix(sky.1, ground.1, y), mix(sky.2, ground.2, y)
        )
        return pixel(faded, lighter: cloud(x, y) + grain, alpha: x * 255 / size.width)
    }

    private static func covers(_ shape: Shape, _ x: Int, _ y: Int) -> Bool {
        let (dx, dy) = (abs(x - shape.x), abs(y - shape.y))
        return shape.isSquare
            ? max(dx, dy) < shape.radius : dx * dx + dy * dy < shape.radius * shape.radius
    }

    private func mix(_ top: Int, _ bottom: Int, _ y: Int) -> Int {
        (top * (size.height - y) + bottom * y) / size.height
    }

    /// Interpolates between the four corners of the cloud cell that contains the pixel.
    private func cloud(_ x: Int, _ y: Int) -> Int {
        let cells = Self.cloudSide - 1
        let (column, right) = (x * cells / size.width, x * cells * 256 / size.width % 256)
        let (row, down) = (y * cells / size.height, y * cells * 256 / size.height % 256)
        let corner = row * Self.cloudSide + column
        let top = clouds[corner] * (256 - right) + clouds[corner + 1] * right
        let below = corner + Self.cloudSide
        let bottom = clouds[below] * (256 - right) + clouds[below + 1] * right
        return (top * (256 - down) + bottom * down) / 65536
    }

    private func pixel(_ color: (Int, Int, Int), lighter: Int, alpha: Int) -> TestImages.Pixel {
        TestImages.Pixel(
            red: UInt8(clamping: color.0 + lighter),
            green: UInt8(clamping: color.1 + lighter),
            blue: UInt8(clamping: color.2 + lighter),
            alpha: UInt8(clamping: alpha)
        )
    }

    private static func color(_ random: inout SeededGenerator, _ range: ClosedRange<Int>) -> (Int, Int, Int) {
        (
            Int.random(in: range, using: &random), Int.random(in: range, using: &random),
            Int.random(in: range, using: &random)
        )
    }
}
