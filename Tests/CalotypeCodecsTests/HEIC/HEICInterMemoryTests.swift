import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

/// Earlier memory contents never appear in inter-predicted frames.
///
/// In process only, where the memory can be filled. The result of damage may depend on the frame where
/// decoding started, which differs if another decode takes the worker.
@Suite(.blocking) struct HEICInterMemoryTests {
    @Test(arguments: HEICInterTests.Group.allCases)
    func `pixels do not depend on earlier memory contents`(group: HEICInterTests.Group) throws {
        let parts = HEICInterTests.parts(group)
        var random = SeededGenerator(seed: 5)
        var (wholeCount, refusedCount) = (0, 0)
        for round in 0..<300 {
            var damaged = parts
            let sample = Int.random(in: 0..<12, using: &random)
            let place = Int.random(in: 6..<damaged.tracks[0].samples[sample].data.count, using: &random)
            damaged.tracks[0].samples[sample].data[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            let file = damaged.data
            let outcomes = [UInt8(0), 1].map { filling in
                HEICDecoder.fillMemory(filling)
                defer { HEICDecoder.fillMemory(0) }
                return Result { () throws -> [[UInt8]] in
                    let frames = try #require(
                        try HEICDecoder().decode(file, options: DecodeOptions()).animation
                    )
                    return try (0..<12).map { try frames.decodeFrame(at: $0).bytes }
                }
            }
            switch (outcomes[0], outcomes[1]) {
            case (.success(let first), .success(let second)):
                #expect(first == second, "seed 5, round \(round)")
                wholeCount += 1
            case (.failure(let first as DecodeError), .failure(let second as DecodeError)):
                #expect(first == second, "seed 5, round \(round)")
                refusedCount += 1
            default:
                Issue.record("seed 5, round \(round): an animation under one filling only")
            }
        }
        #expect(wholeCount > 0 && refusedCount > 0)
    }
}
