import CalotypeCore
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct ArgumentFormTests {
    private enum Side: CaseIterable {
        case left, topLeft
    }

    @Test(arguments: [("3", 3), ("2.5", 2.5), ("-0.25", -0.25), ("1e2", 100)])
    func `a number is decimal`(text: String, number: Double) {
        #expect(ArgumentForm<Double>.number.read(text) == number)
    }

    @Test(arguments: ["", "x", "1,5", "nan", "inf", "-infinity", "1e400", " 1", "1 ", "½"])
    func `parsing an invalid or infinite number returns nil`(text: String) {
        #expect(ArgumentForm<Double>.number.read(text) == nil)
    }

    @Test(arguments: [("16:9", 16.0 / 9), ("1.5", 1.5), ("1:1", 1)])
    func `a ratio is a number, or two`(text: String, ratio: Double) {
        #expect(ArgumentForm<Double>.ratio.read(text) == ratio)
    }

    @Test(arguments: ["", ":", "16:", ":9", "1:2:3", "1:0", "0:0", "1e300:1e-300", "a:b"])
    func `parsing an invalid ratio returns nil`(text: String) {
        #expect(ArgumentForm<Double>.ratio.read(text) == nil)
    }

    @Test func `a size is two whole numbers`() {
        #expect(ArgumentForm<PixelSize>.size.read("400x300") == PixelSize(width: 400, height: 300))
        #expect(ArgumentForm<PixelSize>.size.read("1X2") == PixelSize(width: 1, height: 2))
        for text in ["", "x", "400", "400x", "x300", "1x2x3", "1.5x2", "99999999999999999999x1", "1 x 2"] {
            #expect(ArgumentForm<PixelSize>.size.read(text) == nil)
        }
    }

    @Test func `lists have as many numbers as they may have`() {
        let form = ArgumentForm<[Int]>.integers(1, 4, such: "one or four")
        #expect(form.read("7") == [7])
        #expect(form.read("1,-2,3,4") == [1, -2, 3, 4])
        for text in ["", "1,2", "1,2,3", "1,2,3,", "1,2,3,x", "1,2,3,4,5", "1.5"] {
            #expect(form.read(text) == nil)
        }
    }

    @Test(arguments: [
        ("white", "ffffffff"), ("black", "000000ff"), ("clear", "00000000"), ("f80", "ff8800ff"),
        ("#ff8800", "ff8800ff"), ("Ff880080", "ff880080"),
    ])
    func `a colour is a name or hexadecimal`(text: String, hex: String) {
        #expect(ArgumentForm<RGBAColor>.color.read(text)?.hex == hex)
    }

    @Test(arguments: ["", "#", "ff", "ff88", "ggg", "red", "0xff8800", "ff8800800"])
    func `parsing an invalid colour returns nil`(text: String) {
        #expect(ArgumentForm<RGBAColor>.color.read(text) == nil)
    }

    @Test func `an enumeration case is spelled as in Swift`() {
        #expect(ArgumentForm<Side>.choice.read("topLeft") == .topLeft)
        #expect(ArgumentForm<Side>.choice.read("top-left") == nil)
        #expect(ArgumentForm<Side>.names() == "left|topLeft")
        #expect(ArgumentForm<Side>.choice.description == "one of left, topLeft")
    }

    @Test func `yes and no are the only truth values`() {
        #expect(ArgumentForm<Bool>.yes.read("yes") == true)
        #expect(ArgumentForm<Bool>.yes.read("no") == false)
        #expect(ArgumentForm<Bool>.yes.read("true") == nil)
    }
}
