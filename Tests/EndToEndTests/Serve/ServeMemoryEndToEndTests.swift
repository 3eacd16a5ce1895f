import CalotypeLoading
import CalotypeTesting
import Foundation
import Glibc
import TestSupport
import Testing

@testable import CalotypeCLI

/// A service with little memory, and drawings whose workers take all that they can get.
@Suite(.waiting, .serialized, .enabled("no librsvg, or no locked codec workers", Locks.drawText))
struct ServeMemoryEndToEndTests {
    private static let groupByteCount = 512 << 20
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
        let words = String(repeating: "W&#x4f60;a ", count: 600_000)
        for (name, text) in [("a", words), ("b", words), ("fine", "a")] {
            let root = "<svg xmlns='http://www.w3.org/2000/svg' width='90' height='90'>"
            let document = "\(root)<text y='30'>\(text)</text></svg>"
            try Data(document.utf8).write(to: file("\(name).svg"))
        }
        try Pictures.jpeg().write(to: file("fine.jpg"))
    }

    private func file(_ name: String) -> URL { URL(filePath: folder.path).appending(path: name) }

    /// Requests both drawings at once, and other images afterwards.
    ///
    /// - Returns: The statuses of both, and the most memory of the service and its workers together.
    private func attack(_ service: RunningService) async throws -> (statuses: [Int], byteCount: Int) {
        let answers = ["a", "b"].map { name in
            Task { try await service.get("/unsafe/w:30/plain/local:///\(name).svg@png").answer.status }
        }
        let isOver = SharedState(false)
        let watching = Task {
            var most = 0
            while !isOver.value {
                most = max(most, service.familyByteCount)
                _ = try await service.get("/health")
            }
            return most
        }
        var statuses: [Int] = []
        for answer in answers { statuses.append(try await answer.value) }
        isOver.withLock { $0 = true }
        let most = try await watching.value
        for name in ["fine.jpg", "fine.svg"] {
            let (answer, _) = try await service.get("/unsafe/w:5/plain/local:///\(name)@png")
            #expect(answer.status == 200, "\(name)")
        }
        return (statuses, most)
    }

    private func withService(
        _ prelude: String,
        _ options: [String],
        _ body: (RunningService) async throws -> Void
    ) async throws {
        let own = ["--cache-dir=none", "--local-root=\(folder.path)", "--sandbox=on"]
        let service = try await RunningService.start(own + options, prelude: prelude)
        let result = await Result { () async throws -> Void in try await body(service) }
        #expect(await service.end() == 0)
        try result.get()
    }

    @Test func `two hostile drawings do not end a service with little memory`() async throws {
        let group = MemoryGroup(maxByteCount: Self.groupByteCount)
        defer { group?.remove() }
        // Without groups each process has a limit of its own, and all of them what a group would give them.
        let options = group == nil ? ["--workers-memory=\(Self.groupByteCount / 10 * 7)"] : []
        try await withService(group?.entering ?? "ulimit -v \(16 << 20)", options) { service in
            let (statuses, byteCount) = try await attack(service)
            #expect(statuses == [503, 503])
            #expect(byteCount < Self.groupByteCount, "\(byteCount >> 20) MiB")
            #expect(try group?.killCount ?? 0 == 0)
        }
    }

    @Test(.enabled(if: MemoryGroup.isAvailable, "this process may not create control groups"))
    func `the system ends workers before a service whose memory is exhausted`() async throws {
        let group = try #require(MemoryGroup(maxByteCount: 384 << 20))
        defer { group.remove() }
        let options = ["--worker-memory=4GB", "--workers-memory=8GB"]
        try await withService(group.entering, options) { service in
            let statuses = try await attack(service).statuses
            #expect(statuses.contains(503) && Set(statuses).isSubset(of: [200, 503]))
            #expect(try group.killCount > 0)
        }
    }
}

extension RunningService {
    /// The resident bytes that the service and its workers do not share with others.
    fileprivate var familyByteCount: Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.filter { $0.first?.isNumber == true }.reduce(0) { sum, name in
            // The name of the program, in parentheses, may contain spaces.
            guard let text = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8),
                let parent = text.split(separator: ")").last?.split(separator: " ").dropFirst().first,
                name == "\(processID)" || parent == "\(processID)",
                let pages = try? String(contentsOfFile: "/proc/\(name)/statm", encoding: .utf8)
            else { return sum }
            let counts = pages.split(separator: " ").compactMap { Int($0) }
            return sum + (counts.count > 2 ? (counts[1] - counts[2]) * 4_096 : 0)
        }
    }
}
