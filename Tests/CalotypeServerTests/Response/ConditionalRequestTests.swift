import CalotypeCore
import CalotypeServer
import TestSupport
import Testing

@Suite(.gated) struct ConditionalRequestTests {
    private static let tag = "\"a-1\""

    @Test(arguments: [
        "\"a-1\"", "W/\"a-1\"", "*", " * ", "\"b\", \"a-1\"", "\"b\",W/\"a-1\",\"c\"", ",, \"a-1\"",
        "\"b,c\",\"a-1\"",
        "\"\",\"a-1\"", "\"b\"\t,\t\"a-1\"", "\"a-1\"garbage",
    ])
    func `a list with the entity tag matches`(list: String) {
        #expect(ConditionalRequest.isNotModified(ifNoneMatch: list, entityTag: Self.tag))
        #expect(ConditionalRequest.isNotModified(ifNoneMatch: list, entityTag: "W/" + Self.tag))
    }

    @Test(arguments: [
        "", "\"b\"", "a-1", "\"a-1", "w/\"a-1\"", "\"A-1\"", "*, \"b\"", "garbage \"a-1\"", "\"a-1 \"", "W/",
        "\"", "\"b\" x \"a-1\"",
    ])
    func `a list without the entity tag does not match`(list: String) {
        #expect(!ConditionalRequest.isNotModified(ifNoneMatch: list, entityTag: Self.tag))
    }

    @Test func `a list of 8 KB is parsed, and a longer one is not`() {
        let others = String(repeating: "\"x\",", count: 2_000)
        #expect(ConditionalRequest.isNotModified(ifNoneMatch: others + Self.tag, entityTag: Self.tag))
        #expect(
            !ConditionalRequest.isNotModified(ifNoneMatch: others + others + Self.tag, entityTag: Self.tag)
        )
    }

    @Test func `a date is compared in whole seconds, and only without entity tags`() {
        let modified = Timestamp(nanosecondsSince1970: 784_111_777_900_000_000)
        let isKnown = { (since: String, tags: String?) in
            ConditionalRequest.isNotModified(
                ifNoneMatch: tags,
                ifModifiedSince: since,
                entityTag: Self.tag,
                lastModified: modified
            )
        }
        #expect(isKnown("Sun, 06 Nov 1994 08:49:37 GMT", nil))
        #expect(isKnown("Sunday, 06-Nov-94 08:49:38 GMT", nil))
        #expect(!isKnown("Sun, 06 Nov 1994 08:49:36 GMT", nil))
        #expect(!isKnown("Sun, 06 Nov 1994 08:49:37 GMT", "\"b\""))
        #expect(!isKnown("yesterday", nil) && !isKnown("", nil))
        #expect(
            !ConditionalRequest.isNotModified(
                ifNoneMatch: nil,
                ifModifiedSince: "Sun, 06 Nov 1994 08:49:37 GMT",
                entityTag: Self.tag
            )
        )
    }
}
