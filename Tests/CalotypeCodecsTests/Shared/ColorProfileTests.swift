import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@testable import CalotypeCodecs

/// The supported parts of a profile, and its maximum cost.
@Suite(.blocking, .inBothModes) struct ColorProfileTests {
    private static let stored: [UInt8] = [200, 100, 50, 20, 90, 180]

    private func bytes(_ profile: Data) throws -> [UInt8] {
        var file = TIFFFile(width: 2, photometric: 2, sampleCount: 3, strips: [Self.stored])
        file.profile = profile
        return [UInt8](try TIFFDecoder().tested.decode(file.data, options: DecodeOptions()).bytes)
    }

    @Test func `tags that browsers ignore change nothing`() throws {
        let expected = try bytes(TestProfiles.swapped)
        #expect(expected != Self.stored)
        for name in ["D2B0", "D2B1", "B2D0", "A2B0", "desc"] {
            var profile = TestProfiles.swappedFile
            profile.version = 0x0430_0000
            profile.tags.append((name, ProfileFile.steps(3)))
            let own = try bytes(profile.data)
            #expect(zip(own, expected).allSatisfy { abs(Int($0) - Int($1)) <= 1 }, "\(name)")
        }
    }

    @Test func `a profile with only multi-step tags is ignored`() throws {
        for name in ["D2B0", "A2B0"] {
            let profile = ProfileFile(tags: [(name, ProfileFile.steps(3))], version: 0x0430_0000)
            #expect(try bytes(profile.data) == Self.stored)
        }
    }

    @Test func `a profile that does not describe a device is ignored`() throws {
        for name in ["link", "abst", "nmcl"] {
            var profile = TestProfiles.swappedFile
            profile.deviceClass = name
            #expect(try bytes(profile.data) == Self.stored, "\(name)")
        }
    }

    @Test func `a profile of up to four mebibytes is applied`() throws {
        var profile = TestProfiles.swappedFile
        profile.excess = (4 << 20) - profile.data.count
        #expect(try bytes(profile.data) == bytes(TestProfiles.swapped))
        profile.excess += 1
        #expect(try bytes(profile.data) == Self.stored)
    }

    @Test func `a profile with an oversized or truncated tag table is ignored`() throws {
        var profile = TestProfiles.swappedFile
        profile.tags += Array(repeating: ("none", Data(count: 4)), count: 93)
        #expect(try bytes(profile.data) != Self.stored)
        profile.tags.append(("none", Data(count: 4)))
        #expect(try bytes(profile.data) == Self.stored)
        for count in [0xFFFF_FFFF, 0x1555_5556, 1_000] {
            var data = TestProfiles.swapped
            data.replaceSubrange(128..<132, with: bigEndian32(count))
            #expect(try bytes(data) == Self.stored, "\(count)")
        }
        for count in 0..<TestProfiles.swapped.count {
            #expect(try bytes(TestProfiles.swapped.prefix(count)).count == 6)
        }
    }

    /// Other tests may evict the transform in between, but not each time.
    @Test func `files with one profile share a transform`() {
        var profile = TestProfiles.swappedFile
        profile.excess = 4
        let isShared = (0..<100).contains { _ in
            let first = ColorConversion(profile.data, hasAlpha: false, isWanted: true)
            let second = ColorConversion(profile.data, hasAlpha: false, isWanted: true)
            return unsafe first.transform != nil && first.transform == second.transform
        }
        #expect(isShared)
        let own = ColorConversion(profile.data, hasAlpha: false, isWanted: true)
        let other = ColorConversion(profile.data, hasAlpha: true, isWanted: true)
        #expect(unsafe own.transform != other.transform)
    }

    @Test func `more profiles than cached transforms give the right colours on all threads`() async throws {
        let profiles = (0..<20).map { index in
            var profile = TestProfiles.swappedFile
            let curve = Data("curv".utf8) + Data(count: 4) + bigEndian32(1) + bigEndian16(0x0180 + 16 * index)
            for tag in profile.tags.indices.suffix(3) { profile.tags[tag].value = curve + Data(count: 2) }
            return profile.data
        }
        let expected = try profiles.map(bytes)
        #expect(Set(expected).count > 10)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    var random = SeededGenerator(seed: UInt64(thread))
                    for _ in 0..<100 {
                        let index = Int.random(in: profiles.indices, using: &random)
                        let own = try bytes(profiles[index])
                        #expect(own == expected[index])
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
