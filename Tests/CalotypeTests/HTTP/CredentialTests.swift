import Calotype
import CalotypeTesting
import FoundationEssentials
import LoopbackOrigin
import PipelineSupport
import TestSupport
import Testing

/// Images loaded with some credentials are not returned to requests with others.
@Suite(.gated)
struct `Credentials over HTTP` {
    /// The credentials of a request; the raw value is the width of the image that it gets.
    private enum Asker: Int, CaseIterable {
        case nobody = 10
        case authorizationA, authorizationB, cookieA, cookieB, userA, userB, samePassword, key

        func request(_ bench: HTTPBench) -> ImageRequest {
            let port = bench.origin.port
            func inURL(_ user: String) -> ImageRequest {
                // Consists of digits and letters, so that it is a URL.
                bench.request("/a.fake") { $0.url = URL(string: "http://\(user)@127.0.0.1:\(port)/a.fake")! }
            }
            func inHeader(_ name: String, _ value: String) -> ImageRequest {
                bench.request("/a.fake") { $0.headers = [HeaderField(name, value)] }
            }
            return switch self {
            case .nobody: bench.request("/a.fake")
            case .authorizationA: inHeader("Authorization", "Bearer a")
            case .authorizationB: inHeader("Authorization", "Bearer b")
            case .cookieA: inHeader("Cookie", "session=a")
            case .cookieB: inHeader("Cookie", "session=b")
            case .userA: inURL("a:secret")
            case .userB: inURL("b:other")
            case .samePassword: inURL("b:secret")
            case .key: inHeader("X-API-Key", "a")
            }
        }

        /// The credentials of a request as its origin sees them.
        init(_ request: OriginRequest) {
            let texts = [
                Asker.authorizationA: request[header: "authorization"] == "Bearer a",
                .authorizationB: request[header: "authorization"] == "Bearer b",
                .cookieA: request[header: "cookie"] == "session=a",
                .cookieB: request[header: "cookie"] == "session=b",
                .userA: request[header: "authorization"] == "Basic YTpzZWNyZXQ=",
                .userB: request[header: "authorization"] == "Basic YjpvdGhlcg==",
                .samePassword: request[header: "authorization"] == "Basic YjpzZWNyZXQ=",
                .key: request[header: "x-api-key"] == "a",
            ]
            self = texts.first { $0.value }?.key ?? .nobody
        }
    }

    private static func picture(for asker: Asker) -> OriginResponse {
        .body(FakeImageDecoder.data(width: asker.rawValue, height: 10))
    }

    // SDWebImage's coalescing ignores the header fields of the second request (defect 13 of our reading).
    @Test func `concurrent downloads are shared only within one set of credentials`() async throws {
        let gate = OriginGate()
        let handler: LoopbackOrigin.Handler = { Self.picture(for: Asker($0)).held(by: gate) }
        let change = { (http: inout HTTPDataLoader.Configuration) in http.maxFetchConcurrencyPerHost = 64 }
        try await HTTPBench.with(http: change, origin: handler) { bench async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for asker in Asker.allCases + Asker.allCases {
                    let request = asker.request(bench)
                    group.addTask {
                        let image = try await bench.pipeline.image(for: request)
                        #expect(image.size.width == asker.rawValue)
                    }
                }
                await gate.arrived(count: Asker.allCases.count)
                await gate.open()
                try await group.waitForAll()
            }
            let requests = await bench.origin.activity.snapshot.requests
            #expect(Set(requests.map { Asker($0) }) == Set(Asker.allCases))
            #expect(requests.count == Asker.allCases.count)
        }
    }

    @Test func `a later pipeline finds only the entry of a request's own credentials`() async throws {
        let folder = try ScratchFolder()
        let known = Asker.allCases.dropLast()
        // The port is part of the URL, so both pipelines need the same origin.
        try await HTTPBench.with(folder, origin: { Self.picture(for: Asker($0)) }) { bench async throws in
            for asker in known { _ = try await bench.pipeline.load(asker.request(bench)) }
            let disk = try DiskCache(DiskCache.Configuration(root: folder.path))
            let cache = ImageCache(stores: [disk], codecs: HTTPBench.codecs())
            let later = ImagePipeline(.init(cache: cache, loader: RoutingLoader.standard(.patient)))
            for asker in known {
                let loaded = try await later.load(asker.request(bench))
                #expect(loaded.source == .disk, "\(asker)")
                #expect(loaded.image.size.width == asker.rawValue, "\(asker)")
            }
            var stranger = Asker.key.request(bench)
            stranger.cachePolicy = .onlyFromCache
            let request = stranger
            let error = try await #require(throws: LoadError.self) { try await later.load(request) }
            #expect(error.codeLabel == "notInCache")
            try await later.shutdown()
        }
    }

    @Test func `keys, errors, file names and stored bytes contain no credentials`() async throws {
        let folder = try ScratchFolder()
        try await HTTPBench.with(folder, origin: { Self.picture(for: Asker($0)) }) { bench async throws in
            for asker in [Asker.userA, .authorizationA, .cookieA] {
                let request = asker.request(bench)
                _ = try await bench.pipeline.load(request)
                let key = try await bench.pipeline.originalKey(for: request).rawValue
                #expect(!key.contains("secret") && !key.contains("Bearer") && !key.contains("session"))
            }
            for file in try folder.files() {
                #expect(!file.contains("secret"))
                let bytes = try Data(contentsOf: URL(filePath: folder.path + "/" + file))
                for secret in ["secret", "Bearer a", "session=a", "YTpzZWNyZXQ="] {
                    #expect(bytes.firstRange(of: Data(secret.utf8)) == nil, "\(secret) in \(file)")
                }
            }
        }
        try await HTTPBench.with(origin: { _ in .status(500) }) { bench async throws in
            for asker in [Asker.userA, .authorizationA, .cookieA] {
                let error = try await #require(throws: LoadError.self) {
                    try await bench.pipeline.load(asker.request(bench))
                }
                #expect(!"\(error)".contains("secret") && !"\(error)".contains("Bearer"))
            }
        }
    }

    @Test func `an alternative on another origin receives no credentials`() async throws {
        try await HTTPBench.with(origin: { Self.picture(for: Asker($0)) }) { second async throws in
            try await HTTPBench.with(origin: { _ in .status(503) }) { first async throws in
                let names = ["Authorization", "Cookie", "Proxy-Authorization", "cookie", "X-Api-Key"]
                let request = first.request("/a.fake") { request in
                    request.headers = names.map { HeaderField($0, "secret") } + [HeaderField("Accept", "a/b")]
                    request.alternatives = [second.origin.url("/b.fake")]
                }
                #expect(try await first.pipeline.image(for: request).size.width == Asker.nobody.rawValue)
                let asked = await second.origin.activity.snapshot.requests
                #expect(asked.count == 1)
                #expect(!asked.contains { $0.headers.contains { $0.value == "secret" } })
                #expect(asked.first?[header: "accept"] == "a/b")
            }
        }
    }
}
