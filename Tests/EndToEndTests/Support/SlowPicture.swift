import CalotypeCodecs
import CalotypeCore
import Foundation
import LoopbackOrigin

/// A progressive JPEG that an origin sends in chunks.
struct SlowPicture {
    private static let pieceCount = 24

    let bytes: Data
    private let gates: [OriginGate]

    init() throws {
        let image = try CodecRegistry.standard.decode(Pictures.jpeg())
        bytes = try JPEGEncoder(isProgressive: true).encode(image)
        gates = (1..<Self.pieceCount).map { _ in OriginGate() }
    }

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

    /// Releases each chunk once the previous one has been sent.
    func send() async {
        await send(beforeLast: {})
    }

    /// Releases each chunk once the previous one has been sent, and the last once `beforeLast` has returned.
    func send(beforeLast: () throws -> Void) async rethrows {
        for (index, gate) in gates.enumerated() {
            await gate.arrived()
            if index == gates.count - 1 { try beforeLast() }
            await gate.open()
        }
    }
}
