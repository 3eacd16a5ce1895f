import CalotypeTesting
import Testing

@testable import CalotypeHummingbird

@Suite struct ListenerFieldTests {
    @Test(arguments: [
        (Int64(0), "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        (4_102_444_800, "Fri, 01 Jan 2100 00:00:00 GMT"), (1_735_689_599, "Tue, 31 Dec 2024 23:59:59 GMT"),
    ])
    func `a date is written as HTTP has it`(seconds: Int64, text: String) {
        #expect(DateField.text(seconds) == text)
    }

    @Test(arguments: ["", "a b", "a\r\nb", "ä", "a/b", String(repeating: "a", count: 65)])
    func `what is no name gets a new one`(text: String) {
        let names = RequestNames()
        let (first, second) = (names.name(text), names.name(text))
        #expect(first != text && first != second && first.count == 16 && RequestNames.isName(first))
    }

    @Test(arguments: ["a", "A-b_c.9", String(repeating: "a", count: 64)])
    func `a name is kept`(text: String) {
        #expect(RequestNames().name(text) == text)
    }
}
