import Foundation
import TestSupport
import Testing

@Suite(.blocking) struct TestRulesTests {
    private func file(_ path: String) throws -> SourceTree.File {
        self.file(path, try String(contentsOf: SourceTree.root.appending(path: path), encoding: .utf8))
    }

    private func file(_ path: String, _ text: String) -> SourceTree.File {
        SourceTree.File(
            path: path,
            lines: text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        )
    }

    @Test func `no test has a time limit that includes its wait for the gate`() {
        #expect(TestRules.timeLimitBreaches(in: SourceTree.files) == [])
        let file = SourceTree.File(path: "Tests/A.swift", lines: ["@Test(.time" + "Limit(.minutes(1)))"])
        #expect(TestRules.timeLimitBreaches(in: [file]).count == 1)
    }

    @Test func `every suite goes through the gate`() {
        #expect(TestRules.gateBreaches(in: SourceTree.files) == [])
    }

    @Test(arguments: ["Makefile", ".ci/run"])
    func `jobs choose tests by targets that exist`(path: String) throws {
        let targets = TestRules.targets(in: try file("Package.swift").lines.joined(separator: "\n"))
        let folders = SourceTree.paths.filter { $0.wholeMatch(of: #/Tests/\w+Tests/#) != nil }
        #expect(targets == Set(folders.map { String($0.dropFirst("Tests/".count)) }))
        #expect(TestRules.jobBreaches(in: try file(path), targets: targets) == [])
    }

    // MARK: - Deliberate breaches

    @Test(arguments: [
        "@Suite struct A {", "@Suite(.serialized) struct A {", "@Suite(\n    .serialized\n)\nstruct A {",
        "struct A {\n    @Test func a() {}",
    ])
    func `a suite without a gate is reported`(text: String) {
        #expect(TestRules.gateBreaches(in: [file("Tests/ATests/A.swift", text)]).count == 1)
    }

    @Test func `a suite of processes must be alone`() {
        let suite = "@Suite(.blocking) struct A {"
        #expect(TestRules.gateBreaches(in: [file("Tests/ATests/A.swift", suite)]) == [])
        #expect(TestRules.gateBreaches(in: [file("Tests/CalotypeSandboxTests/A.swift", suite)]).count == 1)
    }

    @Test(arguments: [
        "TARGETS = BTests", "swift test --filter '^BTests\\.'", "swift test --filter ATests",
        "swift test --filter '^ATests\\.|Soak'", "swift test --skip 'Slow'",
    ])
    func `a job that names no target is reported`(line: String) {
        #expect(TestRules.jobBreaches(in: file("Makefile", line), targets: ["ATests"]).count == 1)
    }

    @Test(arguments: [
        "swift test --skip-build --filter '^ATests\\.'",
        "swift test --filter '^(ATests|CTests)\\.' || exit 1",
        "swift test --filter \"^$$target\\.\"",
    ])
    func `a job that names targets is not reported`(line: String) {
        #expect(TestRules.jobBreaches(in: file("Makefile", line), targets: ["ATests", "CTests"]) == [])
    }
}

@Suite(.gated) struct TestGateTests {
    private static let parts = [
        TestGate.Part("a", width: 8), TestGate.Part("b", width: 8), TestGate.Part("alone", width: 1),
    ]

    /// The running bodies of each part.
    private actor Log {
        var running: [TestGate.Part: Int] = [:]
        var peaks: [TestGate.Part: Int] = [:]
        var isMixed = false

        func enter(_ part: TestGate.Part) {
            running[part, default: 0] += 1
            peaks[part] = max(peaks[part] ?? 0, running[part] ?? 0)
            isMixed = isMixed || running.values.count { $0 > 0 } > 1
        }

        func leave(_ part: TestGate.Part) { running[part, default: 0] -= 1 }
    }

    @Test func `tests of one part run at a time, and no more than its width`() async {
        let (gate, log) = (TestGate(), Log())
        await withTaskGroup { group in
            for index in 0..<300 {
                let part = Self.parts[index % 3]
                group.addTask {
                    await gate.run(part) {
                        await log.enter(part)
                        for _ in 0..<10 { await Task.yield() }
                        await log.leave(part)
                    }
                }
            }
        }
        let peaks = await log.peaks
        #expect(Set(peaks.keys) == Set(Self.parts) && peaks.allSatisfy { $0.value <= $0.key.width })
        #expect(await !log.isMixed)
    }

    @Test func `a test that holds a permit waits for no other`() async {
        let gate = TestGate()
        let isReached = await gate.run(Self.parts[2]) {
            await gate.run(Self.parts[0]) { true }
        }
        #expect(isReached)
    }
}
