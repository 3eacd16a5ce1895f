import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import TestSupport
import Testing

@testable import CalotypeTransforms

@Suite(.blocking) struct CompositingTests {
    private static let levels: [UInt8] = [0, 64, 127, 200, 255]
    private static let alphas: [UInt8] = [0, 1, 60, 128, 255]

    /// Pairs of pixels of all levels and alphas.
    private static let pairs: [(destination: [UInt8], source: [UInt8])] = levels.flatMap { d in
        levels.flatMap { s in
            alphas.flatMap { base in
                alphas.map { cover in ([d, 255 - d, 77, base], [s, s, 255 - s, cover]) }
            }
        }
    }

    private func composited(_ destination: Image, _ source: Image, _ blend: BlendMode) throws -> [UInt8] {
        let result = try VipsPicture(destination).composited(with: try VipsPicture(source), blend)
        return Array(try result.rounded().image(like: destination).rgba8())
    }

    @Test(arguments: BlendMode.allCases)
    func `compositing matches the W3C formulae`(blend: BlendMode) throws {
        let pairs = Self.pairs
        let result = try composited(
            .row(of: pairs.map(\.destination)),
            .row(of: pairs.map(\.source)),
            blend
        )
        let expected = pairs.flatMap { BlendReference.composite($0.source, on: $0.destination, blend) }
        #expect(BlendReference.difference(result, expected) < 0.51)
    }

    @Test(arguments: BlendMode.allCases)
    func `opaque images are composited without alpha`(blend: BlendMode) throws {
        let pairs = Self.pairs.map { ($0.destination.dropLast(), $0.source.dropLast()) }
        let (destinations, sources) = (pairs.map { Array($0.0) }, pairs.map { Array($0.1) })
        let result = try composited(.row(of: destinations), .row(of: sources), blend)
        let expected = zip(destinations, sources).flatMap { BlendReference.composite($1, on: $0, blend) }
        #expect(BlendReference.difference(result, expected) < 0.51)
    }
}
