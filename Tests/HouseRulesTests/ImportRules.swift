enum ImportRules {
    private static let system: Set<String> = ["FoundationEssentials", "Synchronization"]

    /// The modules of this package and of others that each module may import.
    static let allowed: [String: Set<String>] = [
        "CalotypeSupport": ["CDigest", "CThreadCalls", "CXXHash", "Glibc", "Musl", "Bionic", "Darwin"],
        "CalotypeCore": ["CalotypeSupport"],
        "CalotypeCodecs": ["CalotypeCore", "CalotypeSupport", "CCodecs"],
        "CalotypeSandbox": [
            "CalotypeTransforms", "CalotypeCodecs", "CalotypeCore", "CalotypeSupport", "CSandbox", "CSVG",
        ],
        "CalotypeTransforms": ["CalotypeCodecs", "CalotypeCore", "CalotypeSupport"],
        "CalotypeCache": ["CalotypeCodecs", "CalotypeCore", "CalotypeSupport", "CFileCalls"],
        "CalotypeTransfer": ["CalotypeSupport", "CLibCurl", "CTransfer"],
        "CalotypeLoading": ["CalotypeCore", "CalotypeSupport", "CalotypeTransfer", "CFileCalls"],
        "Calotype": [
            "CalotypeCache", "CalotypeLoading", "CalotypeTransforms", "CalotypeCodecs", "CalotypeCore",
            "CalotypeSupport",
        ],
        "CalotypeTesting": [
            "Calotype", "CalotypeCache", "CalotypeLoading", "CalotypeTransforms", "CalotypeCodecs",
            "CalotypeCore", "CalotypeSupport",
            "Testing",
        ],
        "CalotypeServer": [
            "Calotype", "CalotypeCache", "CalotypeLoading", "CalotypeTransforms", "CalotypeCodecs",
            "CalotypeCore", "CalotypeSupport",
        ],
        "CalotypeHummingbird": [
            "CalotypeServer", "CalotypeLoading", "CalotypeCore", "CalotypeSupport", "Hummingbird",
            "HummingbirdCore", "HTTPTypes",
            "Logging", "Tracing", "NIOCore", "NIOExtras", "NIOHTTP1", "NIOHTTPTypes", "NIOPosix",
        ],
        "CacheCrashProbe": ["CalotypeCache", "CalotypeCore", "CalotypeTesting", "TestMaterial"],
        "TransformProbe": ["CalotypeTransforms", "CalotypeCodecs", "CalotypeCore", "CalotypeTesting"],
        "CodecProbe": ["CalotypeCodecs", "CalotypeCore", "CalotypeSupport"],
        "CalotypeCLI": [
            "Calotype", "CalotypeCache", "CalotypeLoading", "CalotypeTransforms", "CalotypeCodecs",
            "CalotypeCore", "CalotypeSupport",
            "CalotypeSandbox", "CalotypeServer", "CalotypeHummingbird", "ArgumentParser", "Configuration",
            "Foundation", "Logging",
        ],
    ]

    /// Modules that one folder of a module may import in addition.
    static let allowedInFolder: [String: Set<String>] = [
        "Sources/Calotype/Observers/": ["Logging", "Metrics", "Tracing"]
    ]

    static func breaches(in files: [SourceTree.File]) -> [Breach] {
        files.flatMap { file -> [Breach] in
            guard file.components.first == "Sources", let own = allowed[file.components[1]] else { return [] }
            let extra = allowedInFolder.filter { file.path.hasPrefix($0.key) }.values.reduce(into: Set()) {
                $0.formUnion($1)
            }
            let permitted = own.union(system).union(extra)
            return file.numberedLines.compactMap { line in
                guard let module = importedModule(line.text), !permitted.contains(module) else { return nil }
                return Breach(
                    path: file.path,
                    line: line.number,
                    remedy: "\(file.components[1]) may not import \(module); see the table in ImportRules"
                )
            }
        }
    }

    /// The module that a line imports, if any.
    static func importedModule(_ line: String) -> String? {
        var words = line.trimmingPrefix { $0 == " " }.split(separator: " ").map(String.init)
        let modifiers: Set<String> = ["public", "package", "internal", "private", "fileprivate", "@testable"]
        let kinds: Set<String> = ["struct", "class", "enum", "func", "protocol", "typealias", "var", "let"]
        while let first = words.first, modifiers.contains(first) || first.hasPrefix("@_") {
            words.removeFirst()
        }
        guard words.first == "import", words.count >= 2 else { return nil }
        words.removeFirst()
        if kinds.contains(words[0]), words.count >= 2 { words.removeFirst() }
        return words[0].split(separator: ".").first.map(String.init)
    }
}
