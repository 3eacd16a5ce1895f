import CalotypeTesting
import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

/// Standard output and open descriptors as outputs, under any name.
@Suite(.gated) struct OutputStreamsEndToEndTests {
    private let folder: ScratchFolder

    init() async throws {
        folder = try ScratchFolder()
        try await OutputFile.write(try Pictures.jpeg(), to: folder.path + "/a.jpg")
        let links = """
            ln -s /dev/stdout out.webp; ln -s out.webp again.webp; ln -s /proc/self/fd/1 fd.webp; \
            ln -s /proc/self/fd dir; mkdir sub; ln -s ../out.webp sub/relative.webp
            """
        _ = try await Tool.shell(links, in: folder)
    }

    private static let names = [
        "out.webp", "again.webp", "fd.webp", "dir/1", "sub/relative.webp", "/proc/thread-self/fd/1",
        "/proc/self/task/../fd/1", "//dev/stdout", "/dev/../dev/fd/1",
    ]

    @Test(arguments: names)
    func `a path to standard output gets only the image`(name: String) async throws {
        for redirection in ["> result", "| cat > result"] {
            let line = "calotype convert a.jpg -f webp -o \(name) \(redirection); calotype info result --json"
            let outcome = try await Tool.shell(line, in: folder)
            #expect(try outcome.objects.first?["format"] as? String == "webp", "\(outcome)")
            let size = """
                calotype convert a.jpg -f webp -o - > expected; \
                calotype convert a.jpg -f webp -o \(name) \(redirection); cmp expected result
                """
            #expect(try await Tool.shell(size, in: folder).status == 0, "\(name) \(redirection)")
        }
        let json = try await Tool.shell("calotype convert a.jpg -f webp -o \(name) --json | cat", in: folder)
        #expect(json.output == "" && json.errors.contains("both need standard output"))
        let link = try FileManager.default.destinationOfSymbolicLink(atPath: folder.path + "/out.webp")
        #expect(link == "/dev/stdout")
    }

    @Test(arguments: [
        "transforms --sheet out.png", "decode a.jpg -o out.png",
        "cache get key -o out.png --cache-dir cache", "load a.jpg --no-disk -o out.png",
    ])
    func `every command writes the image alone to standard output`(command: String) async throws {
        let line = """
            ln -s /dev/stdout out.png; mkdir pictures; cp a.jpg pictures
            calotype convert a.jpg b.png > report; calotype cache put key b.png --cache-dir cache > report
            calotype \(command) > result && calotype \(command) | cat > piped
            """
        #expect(try await Tool.shell(line, in: folder).status == 0)
        for name in ["result", "piped"] {
            let data = try Data(contentsOf: URL(filePath: folder.path + "/" + name))
            #expect(data.starts(with: [0x89, 0x50, 0x4E, 0x47]))
            #expect(data.suffix(8).starts(with: Data("IEND".utf8)), "\(command)")
        }
    }

    @Test func `another descriptor of standard output gets only the image`() async throws {
        let line = """
            calotype convert a.jpg -f webp -o - > expected
            calotype convert a.jpg -f webp -o /dev/fd/3 3>&1 > one; cmp expected one || echo file
            mkfifo pipe; cat pipe > two & calotype convert a.jpg -f webp -o pipe > pipe; wait
            cmp expected two || echo fifo
            """
        // Descriptor 3 is the file of the shell's own output, which gets the image, and `one` gets the text.
        let outcome = try await Tool.shell(line.replacing("3>&1 > one", with: "> one 3>&1"), in: folder)
        #expect(outcome.status == 0 && outcome.output == "", "\(outcome)")
    }

    @Test func `the report goes to standard output if another descriptor gets the image`() async throws {
        let line = "calotype convert a.jpg -f webp -o /dev/fd/3 3> image --json; test -s image"
        let outcome = try await Tool.shell(line, in: folder)
        #expect(outcome.status == 0)
        #expect(try outcome.objects.count == 1)
    }

    @Test func `descriptor numbers are spelled as by the system`() async throws {
        for name in ["/dev/fd/01", "/dev/fd/+1", "/proc/self/fd/x"] {
            let outcome = try await Tool.shell("calotype convert a.jpg -f webp -o \(name) > out", in: folder)
            #expect(outcome.status == 1, "\(name): \(outcome)")
        }
    }
}
