/// Rules about suites and about the jobs that run them (decision 0345).
enum TestRules {
    private static let gates = [".gated", ".blocking", ".waiting", ".alone"]

    /// Suites that do not go through the gate of tests.
    static func gateBreaches(in files: [SourceTree.File]) -> [Breach] {
        files.filter { $0.path.hasPrefix("Tests/") }.flatMap { file in
            let suites = file.numberedLines.filter { starts($0.text, with: "@Suite") }
            let test = file.numberedLines.first { starts($0.text, with: "@Test") }
            if suites.isEmpty, let test {
                let remedy = "give the suite an attribute @Suite(.gated)"
                return [Breach(path: file.path, line: test.number, remedy: remedy)]
            }
            let isCounting = file.path.hasPrefix("Tests/CalotypeSandboxTests/")
            let needed = isCounting ? [".alone"] : gates
            return suites.compactMap { line in
                let rest = file.lines[(line.number - 1)...]
                let end = rest.firstIndex { $0.contains(#/\b(struct|class|actor|enum) /#) } ?? line.number - 1
                let attribute = rest[...end].joined(separator: " ")
                guard !needed.contains(where: attribute.contains) else { return nil }
                let remedy = "the suite needs one of \(needed.joined(separator: ", "))"
                return Breach(path: file.path, line: line.number, remedy: remedy)
            }
        }
    }

    /// Time limits that would include the wait for the gate, which has a limit of its own.
    static func timeLimitBreaches(in files: [SourceTree.File]) -> [Breach] {
        files.filter { $0.path.hasPrefix("Tests/") }.flatMap { file in
            file.numberedLines.filter { $0.text.contains(".time" + "Limit(") }.map { line in
                Breach(path: file.path, line: line.number, remedy: "the gate limits the time of each test")
            }
        }
    }

    private static func starts(_ line: String, with attribute: String) -> Bool {
        line.drop { $0 == " " }.hasPrefix(attribute)
    }

    static func targets(in manifest: String) -> Set<String> {
        Set(manifest.matches(of: #/\btests\(\s*"(\w+)"/#).map { String($0.1) })
    }

    /// Jobs that choose tests by anything but existing targets.
    static func jobBreaches(in file: SourceTree.File, targets: Set<String>) -> [Breach] {
        file.numberedLines.flatMap { line in
            var remedies = line.text.matches(of: #/\b\w+Tests\b/#).map { String($0.0) }
                .filter { !targets.contains($0) }.map { "\($0) is not a test target" }
            if line.text.contains(#/--skip /#) { remedies.append("skip tests by a trait, with its reason") }
            for filter in line.text.matches(of: #/--filter (.*?)(?: \|\||$)/#)
            where filter.1.wholeMatch(of: #/["']\^(\w+|\(\w+(\|\w+)+\)|\$\$\w+)\\\.["']/#) == nil {
                remedies.append("filter by whole targets: '^ATests\\.' or '^(ATests|BTests)\\.'")
            }
            return remedies.map { Breach(path: file.path, line: line.number, remedy: $0) }
        }
    }
}
