import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

@Suite(.gated) struct RequestKeyTests {
    private let request: ImageRequest = "https://example.org/cat.jpeg?s=1#top"

    private func identity(_ request: ImageRequest) -> String {
        let source = request.sourceIdentity { $0.absoluteString }
        let key = ImageKey(source: source, variant: request.variantIdentity)
        if let prepared = request.plainIdentity.value {
            #expect(prepared.source == source && prepared.key == key, "what was prepared is the same")
        }
        return key.rawValue
    }

    private struct NoSerializer: CacheSerializer {
        func serialize(_ data: Data, for request: ImageRequest) throws -> Data { data }
    }

    @Test func `an interpolated literal equals the key of the same text`() {
        let id = 17
        let key: ImageKey = "photo/\(id)"
        #expect(key == ImageKey("photo/17") && key.hashValue == ImageKey("photo/17").hashValue)
    }

    @Test func `sources that differ only in Unicode normalization share no work`() {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        #expect(
            OriginalKey(source: composed, request: request, renewal: 0)
                != OriginalKey(source: decomposed, request: request, renewal: 0)
        )
    }

    @Test(arguments: [
        ("https://example.org/@2x/a@b.png?at=@#@", "https://example.org/@2x/a@b.png?at=@"),
        ("http://example.org", "http://example.org/"),
        ("https://user@example.org/a.png", nil),
        ("HTTPS://Example.org:443/a.png", "https://example.org/a.png"),
        ("data:image/png;base64,AAAA", nil),
        ("file:///tmp/a.png", nil),
        ("/tmp/a.png", nil),
    ])
    func `only the key of a plain web URL is prepared`(text: String, key: String?) throws {
        var request = try #require(ImageRequest(addressOrPath: text))
        #expect(request.plainIdentity.value?.key.rawValue == key)
        request.encoding = ImageEncoding(WebPEncoder())
        #expect((request.plainIdentity.value != nil) == (key != nil))
        _ = identity(request)
        request.headers = [HeaderField("X-Tenant", "a")]
        #expect(request.plainIdentity.value == nil, "others may have a say in header fields")
    }

    @Test(arguments: [
        ("HTTP://Example.ORG:80/A#f", "http://example.org/A"), ("https://h:443", "https://h/"),
        ("http://h/a/../b", "http://h/a/../b"), ("https://h:80/", "https://h:80/"),
    ])
    func `equivalent spellings of scheme, host and port have one key`(text: String, key: String) throws {
        let url = try #require(URL(string: text))
        #expect(identity(ImageRequest(url)) == key)
    }

    @Test func `source identities with a number sign stay distinct`() {
        let sources = ["a", "b"].map { name in request.sourceIdentity { _ in "asset#\(name)" } }
        #expect(Set(sources).count == 2)
        #expect(request.sourceIdentity { $0.absoluteString } == "https://example.org/cat.jpeg?s=1")
    }

    @Test func `the key of a plain request is its URL without the fragment`() {
        #expect(identity(request) == "https://example.org/cat.jpeg?s=1")
    }

    @Test func `every property that changes pixels or access gives a distinct key`() {
        var keys = [identity(request)]
        func add(_ change: (inout ImageRequest) -> Void) {
            var changed = request
            change(&changed)
            keys.append(identity(changed))
        }
        add { $0.url = URL(string: "https://example.org/cat.jpeg?s=2")! }  // A literal that is a URL.
        add { $0.headers = [HeaderField("Authorization", "Bearer a")] }
        add { $0.headers = [HeaderField("Authorization", "Bearer b")] }
        add { $0.headers = [HeaderField("Cookie", "Bearer a")] }
        add { $0.headers = [HeaderField("X-Tenant", "a")] }
        add { $0.headers = [HeaderField("Range", "bytes=0-99")] }
        add { $0.decoding.target = .fit(PixelBox(width: 320)) }
        add { $0.decoding.target = .fit(PixelBox(height: 320)) }
        add { $0.decoding.target = .fit(PixelBox(width: 320, height: 320)) }
        add { $0.decoding.target = .fill(PixelBox(width: 320, height: 320)) }
        add { $0.decoding.target = .fitBytes(320) }
        add { $0.decoding.frames = .first }
        add { $0.decoding.scale = 2 }
        add { $0.decoding.appliesOrientation = false }
        add { $0.decoding.convertsToSRGB = false }
        add { $0.decoding.keepsWideGamut = true }
        add { $0.decoding.keepsDepth = true }
        add { $0.decoding.keepsMetadata = true }
        add { $0.decoding.keepsGainMap = true }
        add { $0.decoding.light = .linear }
        add { $0.decoding.light = .encoded }
        add { $0.decoding.damage = .allowsPartialImage }
        add { $0.decoding.limits.truncatesAnimations = true }
        add {
            $0.decoding.limits.truncatesAnimations = true
            $0.decoding.limits.maxFrameCount = 7
        }
        for (first, count) in [(0, 1), (1, 1), (0, 2), (1, 11), (11, 1)] {
            add { $0.decoding.pages = PageSelection(first: first, count: count) }
        }
        add { $0.transforms = .blur(sigma: 80) }
        add { $0.transforms = .blur(sigma: 81) }
        add { $0.transforms = [.blur(sigma: 80), .blur(sigma: 81)] }
        add { $0.encoding = ImageEncoding(JPEGEncoder(quality: 80)) }
        add { $0.encoding = ImageEncoding(JPEGEncoder(quality: 81)) }
        add { $0.encoding = ImageEncoding(PNGEncoder()) }
        add { $0.transforms = .blur(sigma: 80).exceptAnimations }
        add { $0.options.sourceKey = "cat" }
        add { $0.options.method = "QUERY" }
        add { $0.options.body = Data("a".utf8) }
        add { $0.options.loader = NamedValue("a", DataURLLoader()) }
        add { $0.options.codecs = NamedValue("a", .standard) }
        add { $0.options.codecs = NamedValue("b", .standard) }
        add { $0.options.serializer = NamedValue("a", NoSerializer()) }
        #expect(Set(keys).count == keys.count)
    }

    @Test func `properties that change neither pixels nor access do not change the key`() {
        func same(_ change: (inout ImageRequest) -> Void) {
            var changed = request
            change(&changed)
            #expect(identity(changed) == identity(request))
        }
        same { $0.cachePolicy = .refresh }
        same { $0.waitsForStore = true }
        same { $0.cachePolicy.variantOnDisk = .readWrite }
        same { $0.priority = .high }
        same { $0.alternatives = [URL(string: "https://example.com/a.png")!] }  // A literal that is a URL.
        same { $0.httpCaching = .respectsHTTP }
        same { $0.ignoresPastFailure = true }
        same { $0.timeout = .seconds(1) }
        same { $0.expiry = CacheExpiry(memory: .hours(1), disk: .days(1)) }
        same { $0.decoding.limits.maxPixelCount = 1 }
        same { $0.options.modifier = NamedValue("a") { $0 } }
        same { $0.options.retryRule = NamedValue("a", RetryPolicy.none) }
        same { $0.options.permitsRedirect = NamedValue("a") { _ in true } }
        same { $0.options.acceptsLargerImage = true }
        same { $0.options.previewsThumbnail = true }
        same { $0.headers = [HeaderField("User-Agent", "a")] }
        same { $0.url = URL(string: "https://example.org/cat.jpeg?s=1")! }  // A literal that is a URL.
    }

    @Test func `every property is classified as changing the key or not`() {
        func names(_ value: Any) -> Set<String> {
            Set(Mirror(reflecting: value).children.compactMap(\.label))
        }
        let (changing, neutral): (Set, Set) = (
            ["url", "headers", "decoding", "transforms", "encoding", "optionsBox"],
            [
                "cachePolicy", "waitsForStore", "priority", "alternatives", "httpCaching",
                "ignoresPastFailure", "timeout", "expiry", "isAskedAlone", "refusedText", "bytesAtHand",
            ]
        )
        // The prepared properties follow from the others.
        #expect(names(request) == changing.union(neutral).union(["plainIdentity", "inlineDigest"]))
        #expect(
            names(RequestOptions())
                == [
                    "sourceKey", "method", "body", "loader", "codecs", "serializer", "modifier",
                    "retryRule", "permitsRedirect", "acceptsLargerImage", "previewsThumbnail", "bodyDigest",
                ]
        )
        #expect(
            names(request.decoding)
                == [
                    "target", "frames", "scaleSetting", "appliesOrientation", "convertsToSRGB", "damage",
                    "limits", "keepsWideGamut", "keepsDepth", "keepsMetadata",
                    "keepsGainMap", "light", "pages",
                ]
        )
    }

    @Test func `header fields with separators in their text give distinct keys`() {
        func key(_ fields: HeaderField...) -> String {
            var changed = request
            changed.headers = fields
            return identity(changed)
        }
        #expect(key(.init("a", "1\nb:2")) != key(.init("a", "1"), .init("b", "2")))
        #expect(key(.init("a", "1")) != key(.init("a", ""), .init("1", "")))
    }

    @Test func `credentials that a middleware adds are part of the key`() async throws {
        func keys(_ account: String) async throws -> (String, String) {
            let bench = PipelineBench {
                $0.loader = MiddlewareLoader($0.loader, [RequestModifier(cacheIdentity: account) { _ in }])
            } answer: { request, _ in
                .network(request.url)
            }
            let (plain, data) = (bench.request(), bench.request { $0.url = URL(string: "data:,a")! })
            return (
                try await bench.pipeline.originalKey(for: plain).rawValue,
                try await bench.pipeline.originalKey(for: data).rawValue
            )
        }
        let (none, first, second) = (try await keys(""), try await keys("1"), try await keys("2"))
        #expect(none.0 == PipelineBench.url.absoluteString)
        #expect(Set([none.0, first.0, second.0]).count == 3)
        #expect(first.1 == second.1, "a data URL is its own bytes")
    }

    @Test func `header fields declared neutral are left out of the key`() {
        var traced = request
        traced.headers = [HeaderField("X-Request-ID", "1")]
        let identity = traced.sourceIdentity(neutralNames: ["x-request-id"]) { $0.absoluteString }
        #expect(identity == "https://example.org/cat.jpeg?s=1")
    }

    // Nuke #160: a hash value is not a stable key.
    @Test func `the text of a key with many properties is pinned`() {
        var full: ImageRequest = "https://example.org/cat.jpeg"
        full.headers = [HeaderField("Authorization", "Bearer a"), HeaderField("ACCEPT", "image/webp")]
        full.decoding = DecodeOptions(
            target: .fill(PixelBox(width: 320, height: 240)),
            scale: 2,
            appliesOrientation: false,
            convertsToSRGB: false
        )
        full.transforms = [.blur(sigma: 2), .blur(sigma: 0.5)]
        let digest = "3673356c30b59a198c701c79edce7ee2"
        #expect(
            identity(full)
                == "https://example.org/cat.jpeg#headers=\(digest),fill=320x240,scale=2.0,"
                + "stored-orientation,stored-colors=2,transforms=35:blur-1(sigma=2.0)|blur-1(sigma=0.5),"
                + "scaling=3"
        )
    }

    @Test func `user and password change the key but do not appear in it`() {
        let plain = identity("https://example.org/a.png")
        let keys = ["https://u:secret@example.org/a.png", "https://u:other@example.org/a.png"].map(identity)
        #expect(Set(keys + [plain]).count == 3)
        for key in keys {
            #expect(key.hasPrefix("https://example.org/a.png#headers="))
            #expect(!key.contains("secret"))
        }
    }

    @Test func `the key of a data URL is its digest`() {
        let key = identity("data:image/png;base64,AAAA")
        #expect(key.hasPrefix("data:sha256-"))
        #expect(key.count == "data:sha256-".count + 32)
    }

    @Test func `a source filter replaces the URL in the key`() {
        let source = request.sourceIdentity { url in url.host() ?? "" }
        #expect(source == "example.org")
    }

    @Test(arguments: [
        ("https://example.org/a.png", "https://example.org/a.png"),
        ("HTTP://example.org/a.png", "http://example.org/a.png"),
        ("/tmp/a b.png", "file:///tmp/a%20b.png"),
        ("data:,", "data:,"),
    ])
    func `a typed address or path creates a request`(text: String, url: String) {
        #expect(ImageRequest(addressOrPath: text)?.url.absoluteString == url)
    }

    @Test func `a relative path is resolved against the current folder`() {
        let url = ImageRequest(addressOrPath: "a.png")?.url
        #expect(url?.isFileURL == true)
        #expect(url?.path.hasSuffix("/a.png") == true)
        #expect(url?.path.hasPrefix("/") == true)
    }

    @Test(arguments: [
        ("https://example.org/cat@2x.png", 2.0), ("https://example.org/cat%403x.jpeg?s=1", 3.0),
        ("cat@2x.gif", 2.0), ("https://example.org/cat.png?a@2x.b", 1.0), ("https://a@2x.example.org/", 1.0),
        ("https://example.org/cat2x.png", 1.0),
    ])
    func `a scale in the file name sets that of the request`(text: String, scale: Double) {
        #expect(ImageRequest(addressOrPath: text)?.decoding.scale == scale)
    }

    @Test func `an explicit scale overrides that in the file name`() {
        var request: ImageRequest = "https://example.org/cat@2x.png"
        request = ImageRequest(url: request.url, decoding: DecodeOptions(scale: 3))
        #expect(request.decoding.scale == 3)
    }

    @Test func `an explicit scale of 1 overrides that in the file name`() {
        let url: URL = ("https://example.org/cat@2x.png" as ImageRequest).url
        #expect(ImageRequest(url: url, decoding: DecodeOptions(scale: 1)).decoding.scale == 1)
        var options = DecodeOptions(frames: .first)
        #expect(ImageRequest(url: url, decoding: options).decoding.scale == 2)
        options.scale = 1
        #expect(ImageRequest(url: url, decoding: options).decoding.scale == 1)
        #expect(DecodeOptions(scale: 1) == DecodeOptions(), "they make the same image")
        #expect(Set([DecodeOptions(scale: 1), DecodeOptions(), DecodeOptions(scale: 2)]).count == 2)
    }

    @Test func `an empty text returns nil`() {
        #expect(ImageRequest(addressOrPath: "") == nil)
    }
}
