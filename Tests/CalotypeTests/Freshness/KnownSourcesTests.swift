import CalotypeCache
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

    @Test func `stored bytes that were read before newer content came do not replace it`() {
        let sources = Self.sources()
        let before = sources.cache.beginLoad(of: key)
        #expect(sources.note(2, nil, of: key, byLoad: 0))
        #expect(!sources.note(1, nil, of: key, byLoad: before.number, isStored: true))
        #expect(sources.validations[key]?.contentHash == 2)
        let after = sources.cache.beginLoad(of: key)
        #expect(sources.note(1, nil, of: key, byLoad: after.number, isStored: true))
    }

    @Test func `content from an origin replaces stored bytes that a later load has read`() {
        let sources = Self.sources()
        #expect(sources.note(1, nil, of: key, byLoad: 7, isStored: true))
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
