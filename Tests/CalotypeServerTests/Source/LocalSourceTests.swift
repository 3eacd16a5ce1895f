import Calotype
import CalotypeServer
import CalotypeTesting
import Foundation
import Glibc
import PipelineSupport
import TestSupport
import Testing

@Suite(.blocking) struct LocalSourceTests {
    private let folder: ScratchFolder
    private let service: ImageService

    init() throws {
        folder = try ScratchFolder()
        let root = URL(filePath: folder.path).appending(path: "root")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        let data = try JPEGEncoder().encode(TestImages.photograph(PixelSize(width: 120, height: 90)))
        try data.write(to: root.appending(path: "a%b c.jpg"))
        for name in ["secret.jpg", "root-sibling.jpg"] {
            try data.write(to: URL(filePath: folder.path).appending(path: name))
        }
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/root/out.jpg",
            withDestinationPath: "../secret.jpg"
        )
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/root/in.jpg",
            withDestinationPath: "a%b c.jpg"
        )
        let inner = root.appending(path: "folder")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/root/loop",
            withDestinationPath: "loop"
        )
        mkfifo("\(folder.path)/root/pipe", 0o600)
        var configuration = ImageService.Configuration.patient
        configuration.localRoot = root
        configuration.sources = try SourcePolicy(["local:///"])
        let loader = try ImageService.loader(for: configuration)
        let cache = ImageCache(stores: [FakeByteStore()], codecs: .publicWeb)
        let pipeline = ImageService.pipeline(.init(cache: cache, loader: loader))
        service = ImageService(pipeline: pipeline, configuration: configuration)
    }

    private func ask(_ source: String) async throws -> ServiceResponse {
        try await service.response(to: ServiceRequest(target: "/unsafe/w:9/plain/\(source)"))
    }

    @Test func `a file below the root is served, also through a link that stays inside`() async throws {
        for source in ["local:///a%25b%20c.jpg", "local:///in.jpg"] {
            let answer = try await ask(source)
            #expect(answer.status == 200 && answer["X-Cache"] == "miss", "\(source)")
        }
        #expect(try await ask("local:///in.jpg")["X-Cache"] == "memory")
        #expect(try await service.purge(.prefix("local:///in")).results == 1)
    }

    @Test(arguments: ["folder", "folder/", "pipe", "loop", longName])
    func `a path other than a file is not found, without blocking`(source: String) async throws {
        #expect(try await ask("local:///\(source)").status == 404)
    }

    private static let longName = String(repeating: "a", count: 300)

    @Test(arguments: [
        "local:///out.jpg", "local:///../secret.jpg", "local:///%252e%252e/secret.jpg",
        "local:///..%255csecret.jpg", "local:///", "local:///absent.jpg", "local:///-sibling.jpg",
        "local:///in.jpg%2500", "local:////etc/hostname",
    ])
    func `nothing outside the root is served, and its path is not revealed`(source: String) async throws {
        let answer = try await ask(source)
        #expect((403...422).contains(answer.status), "\(source)")
        #expect(!String(decoding: answer.body, as: UTF8.self).contains(folder.path))
    }
}
