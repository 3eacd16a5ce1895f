import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import Foundation
import LoopbackOrigin
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct PipesEndToEndTests {
    private let folder: ScratchFolder

    init() async throws {
        folder = try ScratchFolder()
        try await OutputFile.write(try Pictures.jpeg(), to: folder.path + "/a.jpg")
        try await OutputFile.write(try Pictures.png(), to: folder.path + "/b.png")
    }

    private func image(_ name: String) throws -> Image {
        try CodecRegistry.standard.decode(try Data(contentsOf: URL(filePath: folder.path + "/" + name)))
    }

    @Test(arguments: [
        "cat a.jpg | calotype convert - out.webp", "calotype convert - out.webp < a.jpg",
        "cat a.jpg | calotype convert /dev/stdin out.webp", "calotype convert <(cat a.jpg) out.webp",
        "calotype convert a.jpg - --format webp > out.webp",
        "cat a.jpg | calotype convert - -o - -f webp | cat > out.webp",
        "calotype load a.jpg --no-disk -f webp -o - > out.webp",
    ])
    func `images can be read from and written to pipes`(line: String) async throws {
        let outcome = try await Tool.shell(line, in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors == "")
        #expect(try image("out.webp").format == .webP)
    }

    @Test func `info reads standard input`() async throws {
        let outcome = try await Tool.shell("cat b.png | calotype info - --json", in: folder)
        #expect(try outcome.objects.first?["format"] as? String == "png")
    }

    @Test func `cache entries can be piped`() async throws {
        let line = """
            export XDG_CACHE_HOME="$PWD/cache"; cat b.png | calotype cache put key - > put.txt \
            && calotype cache get key --output - > out.png && cmp out.png b.png
            """
        #expect(try await Tool.shell(line, in: folder).status == 0)
    }

    @Test func `a closing reader is not an error`() async throws {
        let line = "calotype transforms | head -n 1; echo ${PIPESTATUS[0]}"
        let outcome = try await Tool.shell(line, in: folder)
        #expect(outcome.errors == "")
        #expect(outcome.output.hasSuffix("\n0\n"))
    }

    @Test func `endless standard input is cut off at the limit`() async throws {
        let outcome = try await Tool.shell("calotype info - < /dev/zero", in: folder)
        #expect(outcome.status == 1 && outcome.errors.contains("bodyTooLarge"))
    }

    @Test func `several files are converted into a folder, with or without a common format`() async throws {
        let line = """
            calotype convert a.jpg b.png -w 32 -o small/ --json \\
            && calotype convert a.jpg b.png -o w/ -f webp
            """
        let outcome = try await Tool.shell(line, in: folder)
        #expect(outcome.status == 0)
        #expect(try image("small/a.jpg").width == 32 && image("small/b.png").width == 32)
        #expect(try image("w/a.webp").format == .webP && image("w/b.webp").format == .webP)
    }

    @Test func `a list of sources is read from a file or standard input`() async throws {
        let line = """
            printf '# two\\na.jpg\\n\\nb.png\\n' > list && calotype load -i list --no-disk --json \
            && calotype load - --no-disk --json < list
            """
        let outcome = try await Tool.shell(line, in: folder)
        #expect(outcome.status == 0)
        let urls = try outcome.objects.map { $0["url"] as? String }
        #expect(urls == ["a.jpg", "b.png", "a.jpg", "b.png"])
    }

    @Test func `an address without its scheme gets a hint`() async throws {
        let outcome = try await Tool.shell("calotype load www.example.org/cat.jpg --no-disk", in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("did you mean https://www.example.org/cat.jpg?"))
    }
}
