import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import FoundationEssentials
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct TransformSheetTests {
    @Test func `the image is first, then every step, and each has a position in the legend`() throws {
        let sheet = try TransformSheet(of: TransformSheet.drawnPicture())
        let names = TransformGrammar.steps.flatMap { step in step.examples.map { _ in step.name } }
        #expect(sheet.cells.map(\.name) == ["picture"] + names)
        let places = sheet.records.map { [$0["row"], $0["column"]] }
        #expect(Set(places).count == sheet.cells.count)
        #expect(places.first == [.count(1), .count(1)])
    }

    @Test func `a large image is scaled down, and a small one is not`() throws {
        let large = TestImages.photograph(PixelSize(width: 960, height: 240))
        #expect(try TransformSheet(of: large, steps: []).cells[0].image.size.width == 480)
        let small = TestImages.photograph(PixelSize(width: 3, height: 2))
        #expect(try TransformSheet(of: small, steps: []).cells[0].image.size == small.size)
    }

    @Test func `an image of one pixel gives a sheet`() throws {
        let pixel = TestImages.photograph(PixelSize(width: 1, height: 1))
        #expect(try !TransformSheet(of: pixel, steps: []).drawn().size.isEmpty)
    }

    @Test func `a caption is drawn on a transparent image, within the given width`() throws {
        let image = TestImages.photograph(PixelSize(width: 1, height: 1))
        let short = try Caption.picture(of: "a<b>&c", maxWidth: 200, like: image)
        #expect(short.pixelFormat == .rgba8 && short.size.width < 200)
        let bytes = [UInt8](short.rgba8())
        let alpha = stride(from: 3, to: bytes.count, by: 4).map { bytes[$0] }
        #expect(alpha.contains { $0 > 128 } && alpha.contains(0))
        let long = try Caption.picture(of: String(repeating: "ab=1,", count: 30), maxWidth: 100, like: image)
        #expect(long.size.width <= 100 && long.size.height > 3 * short.size.height)
    }
}
