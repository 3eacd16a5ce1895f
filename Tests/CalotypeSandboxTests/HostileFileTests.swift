import CalotypeCodecs
import CalotypeCore
import CalotypeSandbox
import Foundation
import TestMaterial
import TestSupport
import Testing
import WorkerSupport

/// The hostile files beside the package, decoded in workers.
@Suite(
    .alone,
    .enabled(Workers.advice, Workers.isAvailable),
    .enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)")
)
struct HostileFileTests {
    private static let names: [String] = {
        guard let folder else { return [] }
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            return names.filter { $0 != "README.md" && $0 != "make" }.sorted()
        } catch {
            preconditionFailure("the hostile files cannot be listed: \(error)")
        }
    }()

    private static let folder = SharedCorpus.root?.appending(path: "hostile")

    private func data(_ name: String) throws -> Data {
        try Data(contentsOf: try #require(Self.folder).appending(path: name))
    }

    @Test(arguments: names)
    func `a hostile file decodes or throws and loses no worker`(name: String) async throws {
        let workers = try await Workers.started(maxCount: 1) { $0.maxMemoryByteCount = 400 << 20 }
        let data = try data(name)
        let error = try await workers.run { codecs -> DecodeError? in
            do throws(DecodeError) {
                _ = try codecs.decode(data)
                return nil
            } catch {
                return error
            }
        }
        #expect(error?.code != .crashed && error?.code != .timedOut && error?.code != .memoryExceeded)
        #expect(workers.statistics.lostCount == 0)
    }

    @Test(arguments: SharedCorpus.files.filter { $0.path.hasPrefix("malformed/") })
    func `a malformed file decodes or throws within a second and 100 MB and loses no worker`(
        file: CorpusFile
    ) async throws {
        let options = DecodeOptions(target: .fit(width: 400, height: 400))
        let cost = try await WorkerCost(of: try file.bytes(), options: options)
        #expect(!cost.isLost && cost.milliseconds <= 1_000 && cost.kilobytes <= 100_000, "\(cost)")
        #expect(cost.outcome == "ok" || DecodeError.Code(label: cost.outcome) != nil, "\(cost)")
    }

    @Test(arguments: names.filter { $0.hasSuffix(".heic") })
    func `unwritten pixels contain nothing of an earlier image`(name: String) async throws {
        let data = try data(name)
        var pictures: [String] = []
        for words in [[], ["secret"]] {
            let workers = try await Workers.started(maxCount: 1)
            for word in words { #expect(await workers.error(of: word) == nil) }
            pictures.append(
                try await workers.run { codecs in
                    do {
                        return try codecs.decode(data).rgba8().base64EncodedString()
                    } catch {
                        return "\(error)"
                    }
                }
            )
        }
        #expect(pictures[0] == pictures[1])
    }
}
