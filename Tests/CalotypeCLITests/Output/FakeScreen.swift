import CalotypeTesting
import Foundation

@testable import CalotypeCLI

/// A console whose streams are files, with or without a terminal width.
struct FakeScreen {
    let console: Console

    private let folder: ScratchFolder
    private let output: FileHandle
    private let errors: FileHandle

    init(isJSON: Bool, progressWidth: Int?) throws {
        folder = try ScratchFolder()
        output = try Self.file(folder.path + "/output")
        errors = try Self.file(folder.path + "/errors")
        console = Console(
            isJSON: isJSON,
            output: TextStream(descriptor: output.fileDescriptor, name: "output"),
            errors: TextStream(descriptor: errors.fileDescriptor, name: "errors"),
            terminalWidth: progressWidth
        )
    }

    func outputText() throws -> String {
        try String(contentsOfFile: folder.path + "/output", encoding: .utf8)
    }

    func errorText() throws -> String {
        try String(contentsOfFile: folder.path + "/errors", encoding: .utf8)
    }

    private static func file(_ path: String) throws -> FileHandle {
        try Data().write(to: URL(filePath: path))
        return try FileHandle(forWritingTo: URL(filePath: path))
    }
}
