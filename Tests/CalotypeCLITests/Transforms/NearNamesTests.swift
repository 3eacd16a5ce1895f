import Testing

@testable import CalotypeCLI

@Suite struct NearNamesTests {
    private let names = ["blur", "crop", "grayscale", "resize", "rotate", "round"]

    @Test(arguments: [
        ("blurr", ["blur"]), ("Blur", ["blur"]), ("greyscale", ["grayscale"]), ("gray", ["grayscale"]),
        ("ro", ["round", "rotate"]), ("resise", ["resize"]), ("rotat", ["rotate"]), ("b", ["blur"]),
    ])
    func `a slip of the hand finds what was meant`(text: String, expected: [String]) {
        #expect(NearNames.of(text, among: names) == expected)
    }

    @Test(arguments: ["", "x", "rotation", "🖼"])
    func `what is like nothing finds nothing`(text: String) {
        #expect(NearNames.of(text, among: names).isEmpty)
    }

    @Test func `a text without end is not compared`() {
        #expect(NearNames.of(String(repeating: "r", count: 1_000_000), among: names).isEmpty)
    }
}
