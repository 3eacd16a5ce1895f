import CalotypeCache
import TestSupport
import Testing

@Suite(.blocking) struct ImageKeyTests {
    @Test func `keys with equal text are equal`() {
        #expect(ImageKey("a") == "a")
        #expect(ImageKey("a").hashValue == ImageKey("a").hashValue)
        #expect(ImageKey("a") != "b")
    }

    @Test func `two Unicode spellings of one text are two keys`() {
        let (composed, decomposed) = (ImageKey("caf\u{E9}"), ImageKey("cafe\u{301}"))
        #expect(composed.rawValue == decomposed.rawValue)
        #expect(composed != decomposed)
        #expect(composed == ImageKey("caf\u{E9}"))
        #expect(composed.hashValue == ImageKey("caf\u{E9}").hashValue)
        #expect(Set([composed, decomposed, ImageKey("cafe\u{301}")]).count == 2)
    }

    @Test func `keys of any length are compared by bytes, also bridged or sliced ones`() {
        for count in [0, 1, 15, 16, 60, 5_000] {
            let text = String(repeating: "k", count: count)
            let slice = String(("x" + text).dropFirst())
            #expect(ImageKey(text) == ImageKey(slice))
            #expect(ImageKey(text) != ImageKey(text + "\0"))
            #expect(ImageKey(text + "\u{E9}") == ImageKey(slice + "\u{E9}"))
            #expect(ImageKey(text + "\u{212B}") != ImageKey(text + "A\u{30A}"), "both have three bytes more")
        }
    }

    @Test func `a variant follows its source like a fragment`() {
        #expect(ImageKey(source: "https://x/a.png", variant: "").rawValue == "https://x/a.png")
        #expect(ImageKey(source: "https://x/a.png", variant: "fit=1x").rawValue == "https://x/a.png#fit=1x")
        #expect(
            ImageKey(source: "https://x/a.png#v=1", variant: "fit=1x").rawValue
                == "https://x/a.png#v=1,fit=1x"
        )
    }
}
