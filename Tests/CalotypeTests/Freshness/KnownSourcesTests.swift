import CalotypeCache
import CalotypeCore
import CalotypeLoading
import FoundationEssentials
import TestSupport
import Testing

@testable import Calotype

/// The known state of sources.
@Suite(.gated) struct KnownSourcesTests {
    private let key = ImageKey("https://pictures.test/a.png")

    private static func sources() -> KnownSources {
        let configuration = ImagePipeline.Configuration(cache: ImageCache(memory: ImageCache.Memory()))
        return KnownSources(configuration, RequestSettings(configuration))
    }

    @Test func `content of an older load does not replace that of a newer one`() {
        let sources = Self.sources()
        #expect(sources.note(2, nil, of: key, byLoad: 2))
        #expect(!sources.note(1, nil, of: key, byLoad: 1))
        #expect(sources.validations[key]?.contentHash == 2)
        // The same content gets the number of the latest load that brought it.
        #expect(!sources.note(2, nil, of: key, byLoad: 5))
        #expect(!sources.note(2, nil, of: key, byLoad: 3))
        #expect(sources.validations[key]?.loadNumber == 5)
        #expect(!sources.note(1, nil, of: key, byLoad: 4))
        #expect(sources.validations[key]?.contentHash == 2)
    }

    @Test func `a source that was found gone stays so until a later load brings content`() {
        let sources = Self.sources()
        // The literal is a URL.
        var request = ImageRequest(url: URL(string: key.rawValue)!)
        request.httpCaching = .respectsHTTP
        #expect(sources.noteGone(key.rawValue, for: request, byLoad: 3))
        #expect(!sources.note(1, nil, of: key, byLoad: 2))
        #expect(sources.note(1, nil, of: key, byLoad: 4))
        #expect(!sources.noteGone(key.rawValue, for: request, byLoad: 3))
        #expect(sources.validations[key]?.contentHash == 1)
    }

    @Test func `stored bytes replace content that was received before them`() throws {
        let sources = Self.sources()
        #expect(sources.note(2, nil, of: key, byLoad: 4))
        let received = try #require(sources.validations[key]?.receivedAt)
        for earlier in [received, received + .seconds(-1)] {
            #expect(!sources.noteStored(1, nil, of: key, receivedAt: earlier))
        }
        #expect(sources.validations[key]?.contentHash == 2)
        #expect(sources.noteStored(1, nil, of: key, receivedAt: received + .seconds(1)))
        #expect(sources.validations[key]?.contentHash == 1)
        // Nor does a load that began before the former content.
        #expect(!sources.note(3, nil, of: key, byLoad: 3))
        #expect(sources.note(3, nil, of: key, byLoad: 5))
    }

    @Test func `content from an origin replaces stored bytes of any time`() {
        let sources = Self.sources()
        let far = Timestamp(nanosecondsSince1970: .max)
        #expect(sources.noteStored(1, nil, of: key, receivedAt: far))
        #expect(sources.note(2, nil, of: key, byLoad: 5))
        #expect(sources.validations[key]?.contentHash == 2)
    }

    @Test func `loads that end together leave the content of the newest`() async {
        let key = key
        for _ in 0..<200 {
            let sources = Self.sources()
            await withTaskGroup { group in
                for number in 1...8 {
                    group.addTask { _ = sources.note(UInt64(number), nil, of: key, byLoad: number) }
                }
            }
            #expect(sources.validations[key]?.contentHash == 8)
        }
    }
}
