import CalotypeCore
import TestSupport
import Testing

@testable import CalotypeTransforms

@Suite(.gated) struct GravityTests {
    private func origins(_ box: PixelSize, in room: PixelSize) -> [[Int]] {
        Gravity.allCases.map { gravity in
            let origin = gravity.origin(of: box, in: room)
            return [origin.x, origin.y]
        }
    }

    @Test func `a smaller box has nine positions`() {
        let places = origins(PixelSize(width: 4, height: 2), in: PixelSize(width: 10, height: 8))
        #expect(places == [[0, 0], [3, 0], [6, 0], [0, 3], [3, 3], [6, 3], [0, 6], [3, 6], [6, 6]])
    }

    @Test func `a larger box has negative origins`() {
        let places = origins(PixelSize(width: 10, height: 8), in: PixelSize(width: 4, height: 2))
        #expect(
            places == [
                [0, 0], [-3, 0], [-6, 0], [0, -3], [-3, -3], [-6, -3], [0, -6], [-3, -6], [-6, -6],
            ]
        )
    }

    @Test func `an odd pixel is left over at the right and the bottom`() {
        let origin = Gravity.center.origin(
            of: PixelSize(width: 4, height: 7),
            in: PixelSize(width: 7, height: 4)
        )
        #expect(origin == (1, -2))
    }
}
