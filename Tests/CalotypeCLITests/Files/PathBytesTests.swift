import CalotypeTesting
import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct PathBytesTests {
    private static let latin: [UInt8] = Array("caf".utf8) + [0xE9] + Array(".jpg".utf8)

    @Test(arguments: [
        latin, Array("ü.jpg".utf8), [0xFF, 0xFE], [0xC3], [0xE2, 0x82], [0xF4, 0x8F, 0xBF, 0xBD],
        [0x80, 0xC3, 0xBC],
        [0xED, 0xA0, 0x80], [],
    ])
    func `every name round-trips through its text`(bytes: [UInt8]) {
        #expect(PathBytes.bytes(of: PathBytes.text(of: bytes)) == bytes)
    }

    @Test func `a byte that is not UTF-8 is shown as an escape`() {
        #expect(PathBytes.shown(PathBytes.text(of: Self.latin)) == "caf\\xE9.jpg")
        #expect(SafeText.line(PathBytes.text(of: Self.latin)) == "caf\\xE9.jpg")
    }

    @Test func `a file name that is not UTF-8 can be written and read`() async throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/" + PathBytes.text(of: Self.latin)
        try await OutputFile.write(Data([1, 2]), to: path)
        #expect(try await FileBytes.read(path) == Data([1, 2]))
        #expect(FileStatus(at: path)?.kind == .regular)
    }

    @Test func `the URL of a file has its bytes percent-encoded`() {
        let path = "/a b/" + PathBytes.text(of: Self.latin)
        #expect(PathBytes.fileURL(path)?.absoluteString == "file:///a%20b/caf%E9.jpg")
    }
}
