import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct StepTextTests {
    private func arguments(_ text: String) throws -> [String] {
        try StepText(text).arguments.map { "\($0.key ?? "-"): \($0.value)" }
    }

    @Test(arguments: [
        ("invert", "invert", []), ("rotate:90", "rotate", ["-: 90"]),
        ("blur:sigma=3", "blur", ["sigma: 3"]),
        ("crop:rect=10,10,200,100", "crop", ["rect: 10,10,200,100"]),
        ("crop:ratio=16:9,gravity=top", "crop", ["ratio: 16:9", "gravity: top"]),
        ("rotate:30,background=white", "rotate", ["-: 30", "background: white"]),
        ("pad:by=1,2,3,4,color=#fff", "pad", ["by: 1,2,3,4", "color: #fff"]),
        ("overlay:file=a,b=.png", "overlay", ["file: a", "b: .png"]),
        ("overlay:file=/a, b/c=d.png,tiled=yes", "overlay", ["file: /a, b/c=d.png", "tiled: yes"]),
        ("pad:10,20,color=red", "pad", ["-: 10,20", "color: red"]),
    ])
    func `a comma belongs to the value before it unless a key follows`(
        text: String,
        name: String,
        arguments: [String]
    ) throws {
        #expect(try StepText(text).name == name)
        #expect(try self.arguments(text) == arguments)
    }

    @Test(arguments: [
        ("", "", []), (":", "", ["-: "]), ("blur:", "blur", ["-: "]), ("a:,", "a", ["-: ,"]),
        ("a:=b", "a", ["-: =b"]), ("a:b=", "a", ["b: "]), ("a:b=c,,", "a", ["b: c,,"]),
        ("a:ä=b", "a", ["-: ä=b"]), ("a:b=c=d", "a", ["b: c=d"]), ("a b:c", "a b", ["-: c"]),
    ])
    func `odd texts are taken apart without loss`(text: String, name: String, arguments: [String]) throws {
        #expect(try StepText(text).name == name)
        #expect(try self.arguments(text) == arguments)
    }

    @Test func `a repeated key is rejected`() {
        let error = #expect(throws: StepError.self) { try StepText("blur:sigma=1,sigma=2") }
        #expect(error?.code == .repeatedKey && error?.detail == "“sigma” is given twice")
    }

    @Test func `a step has at most 8,192 bytes`() throws {
        let head = "overlay:file="
        let longest = head + String(repeating: "a", count: StepText.maxByteCount - head.utf8.count)
        #expect(try StepText(longest).arguments.first?.value.count == longest.count - head.count)
        let error = #expect(throws: StepError.self) { try StepText(longest + "a") }
        #expect(error?.code == .tooLong)
    }

    @Test func `a text of commas takes no longer than other texts`() throws {
        let text = "a:" + String(repeating: ",", count: StepText.maxByteCount - 2)
        #expect(try StepText(text).arguments.first?.value.count == StepText.maxByteCount - 2)
    }
}
