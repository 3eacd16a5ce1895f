import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.blocking) struct TransformsEndToEndTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
    }

    @Test func `transforms lists every step with its grammar and an example`() async throws {
        let outcome = try await Tool.run("transforms", "--json")
        #expect(outcome.status == 0 && outcome.errors == "")
        let objects = try outcome.objects
        #expect(objects.map { $0["name"] as? String } == TransformGrammar.steps.map(\.name))
        #expect(objects.map { $0["grammar"] as? String } == TransformGrammar.steps.map(\.grammar))
        #expect(objects.map { $0["example"] as? String } == TransformGrammar.steps.map { $0.examples[0] })
        #expect(objects.allSatisfy { Set($0.keys) == ["name", "grammar", "example"] })
    }

    @Test func `transforms prints the purpose of each step, and the notation`() async throws {
        let outcome = try await Tool.run("transforms")
        #expect(outcome.status == 0 && outcome.errors == "")
        for step in TransformGrammar.steps {
            for text in [step.purpose, step.grammar] + step.examples {
                #expect(outcome.output.contains(text))
            }
        }
        #expect(outcome.output.contains(TransformGrammar.notation))
        let help = try await Tool.run("transforms", "--help").output
        #expect(help.contains("rrggbbaa"))
    }

    @Test func `a sheet shows every example, and the output maps the cells`() async throws {
        let (drawn, own) = (folder.path + "/drawn.png", folder.path + "/own.jpg")
        let outcome = try await Tool.run("transforms", "--sheet", drawn, "--json")
        #expect(outcome.status == 0 && outcome.errors == "")
        let objects = try outcome.objects
        #expect(objects.count == TransformGrammar.steps.flatMap(\.examples).count + 1)
        #expect(objects.allSatisfy { Set($0.keys) == ["row", "column", "name", "example"] })
        #expect(objects.compactMap { $0["name"] as? String }.dropFirst().first == "resize")
        let picture = try Pictures.jpeg(PixelSize(width: 600, height: 400), seed: 2)
        let path = try await folder.file("a.jpg", picture)
        let second = try await Tool.run("transforms", "--sheet", own, "--picture", path)
        #expect(second.status == 0 && second.output.hasPrefix("ROW  COLUMN  EXAMPLE\n"))
        #expect(try image(own).size == image(drawn).size)
        #expect(try image(own).format == .jpeg)
        #expect(try image(own).rgba8() != image(drawn).rgba8())
    }

    @Test(arguments: [
        ["--picture", "a.png"], ["--sheet", "a.xyz"], ["--sheet", ""],
    ])
    func `invalid sheet arguments are a usage error`(arguments: [String]) async throws {
        let outcome = try await Tool.run(["transforms"] + arguments)
        #expect(outcome.status == 2 && outcome.output == "")
    }

    @Test func `an unreadable image fails, and no sheet is written`() async throws {
        let sheet = folder.path + "/sheet.png"
        let outcome = try await Tool.run("transforms", "--sheet", sheet, "--picture", folder.path + "/none")
        #expect(outcome.status == 1)
        #expect(outcome.errorLines.count == 1 && outcome.errors.hasPrefix("error: fileNotFound: "))
        #expect(try folder.files().isEmpty)
    }

    @Test func `convert applies the steps in order`() async throws {
        let picture = try await folder.file("a.png", try Pictures.png())
        let output = folder.path + "/b.png"
        let steps = ["--transform", "blur:sigma=2", "--transform", "blur:sigma=3"]
        let outcome = try await Tool.run(["convert", picture, output, "--json"] + steps)
        #expect(outcome.status == 0)
        let object = try #require(try outcome.objects.first)
        #expect(object["format"] as? String == "png")
        let chain: TransformChain = [.blur(sigma: 2), .blur(sigma: 3)]
        #expect(try image(output).rgba8() == chain.apply(to: image(picture)).rgba8())
    }

    @Test(arguments: [
        ("blurr:sigma=3", "unknown step “blurr”; did you mean blur?"),
        ("blur:sigma=0", "invalidParameter: blur sigma 0.0"),
        ("blur:sigma=x", "sigma= must be a number"), ("", "unknown step “”"),
    ])
    func `an invalid step is a usage error, reported before anything is read`(
        step: String,
        words: String
    ) async throws {
        for command in [["convert", "/none.jpg", "/none/b.png"], ["load", "http://127.0.0.1:9/"]] {
            let outcome = try await Tool.run(command + ["--transform", step])
            #expect(outcome.status == 2 && outcome.output == "")
            #expect(outcome.errors.contains(words))
        }
    }

    @Test func `a chain that is too long is a usage error`() async throws {
        let step = ["--transform", "blur:sigma=1"]
        let steps = Array(repeating: step, count: TransformChain.maxStepCount + 1).flatMap(\.self)
        let outcome = try await Tool.run(["convert", "a.jpg", "b.png"] + steps)
        #expect(outcome.status == 2 && outcome.errors.contains("at most 100 times"))
    }

    @Test func `the first steps determine the decode size without loss`() async throws {
        let large = try Pictures.jpeg(PixelSize(width: 1600, height: 1200), seed: 1)
        let picture = try await folder.file("a.jpg", large)
        let output = folder.path + "/b.png"
        let steps = ["--transform", "crop:ratio=1:1", "--transform", "resize:fit=100x100"]
        #expect(try await Tool.run(["convert", picture, output] + steps).status == 0)
        let chain: TransformChain = [
            .crop(toAspectRatio: 1), .resize(toFit: PixelSize(width: 100, height: 100)),
        ]
        let exact = try chain.apply(to: image(picture))
        let result = try image(output)
        #expect(result.size == exact.size)
        let differences = zip(result.rgba8(), exact.rgba8()).map { abs(Int($0) - Int($1)) }
        #expect(Double(differences.reduce(0, +)) / Double(differences.count) < 2)
    }

    @Test func `an animation is transformed frame by frame`() async throws {
        let source = FakeFrameSource(frameCount: 3, size: PixelSize(width: 40, height: 30), valueStep: 50)
        let animation = Animation(source: source)
        let animated = try animation.decodeFrame(at: 0).replacing(animation: animation)
        let picture = try await folder.file("a.gif", try GIFEncoder().encode(animated))
        let output = folder.path + "/b.webp"
        let step = ["--transform", "resize:width=20"]
        let outcome = try await Tool.run(["convert", picture, output, "--json"] + step)
        let object = try #require(try outcome.objects.first)
        #expect(object["frames"] as? Int == 3 && object["width"] as? Int == 20)
    }

    @Test func `a step that cannot be applied is one error, and nothing is written`() async throws {
        let picture = try await folder.file("a.png", try Pictures.png())
        let step = ["--transform", "crop:rect=1000,0,20,20"]
        let outcome = try await Tool.run(["convert", picture, folder.path + "/b.png", "--json"] + step)
        #expect(outcome.status == 1)
        #expect(try (outcome.objects.first?["error"] as? String)?.hasPrefix("emptyResult: ") == true)
        #expect(outcome.errorLines.count == 1)
        #expect(try folder.files() == ["a.png"])
    }
}
