import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct SimilarNamesTests {
    private let names = ["blur", "crop", "grayscale", "resize", "rotate", "round"]

    @Test(arguments: [
        ("blurr", ["blur"]), ("Blur", ["blur"]), ("greyscale", ["grayscale"]), ("gray", ["grayscale"]),
        ("ro", ["round", "rotate"]), ("resise", ["resize"]), ("rotat", ["rotate"]), ("b", ["blur"]),
    ])
    func `a typing error finds the intended name`(text: String, expected: [String]) {
        #expect(SimilarNames.of(text, among: names) == expected)
    }

    @Test(arguments: ["", "x", "rotation", "🖼"])
    func `an unlike text finds nothing`(text: String) {
        #expect(SimilarNames.of(text, among: names).isEmpty)
    }

    @Test func `an overlong text is not compared`() {
        #expect(SimilarNames.of(String(repeating: "r", count: 1_000_000), among: names).isEmpty)
    }
}
