import CalotypeCache
import TestTraits
import Testing

@Suite(.blocking) struct ImageKeyTests {
    @Test func `keys are equal where their text is`() {
        #expect(ImageKey("a") == "a")
        #expect(ImageKey("a").hashValue == ImageKey("a").hashValue)
        #expect(ImageKey("a") != "b")
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
