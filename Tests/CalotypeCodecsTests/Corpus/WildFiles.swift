import FoundationEssentials
import TestMaterial
import Testing

/// Files of other projects that were decoded wrongly once, in a folder beside the package.
enum WildFiles {
    static func data(_ name: String) throws -> Data {
        try Data(contentsOf: #require(SharedCorpus.root).appending(path: "wild/\(name)"))
    }
}
