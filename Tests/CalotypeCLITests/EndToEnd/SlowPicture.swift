import CalotypeCodecs
import CalotypeCore
import Foundation
import LoopbackOrigin

/// A progressive JPEG that an origin sends piece by piece, the last one when it is told to.
struct SlowPicture {
    private static let pieceCount = 24

    let bytes: Data
    /// What holds the last piece back.
    let lastGate: OriginGate
    private let gates: [OriginGate]

    init() throws {
        let image = try CodecRegistry.standard.decode(Pictures.jpeg())
        bytes = try JPEGEncoder(isProgressive: true).encode(image)
        gates = (1..<Self.pieceCount).map { _ in OriginGate() }
        lastGate = gates[Self.pieceCount - 2]
    }

    /// The answer of the origin.
    var response: OriginResponse {
        let size = bytes.count / Self.pieceCount
        let steps = gates.enumerated().flatMap { index, gate -> [OriginResponse.Step] in
            [.bytes(bytes.dropFirst(index * size).prefix(size)), .wait(gate)]
        }
        return OriginResponse(
            framing: .announced(bytes.count),
            steps: steps + [.bytes(bytes.dropFirst(gates.count * size))]
        )
    }

    /// Lets all pieces go but the last, each once the one before has been sent.
    func sendAllButLast() async {
        for gate in gates.dropLast() {
            await gate.arrived()
            await gate.open()
        }
    }
}
