import CalotypeCore
import CalotypeTesting
import TestSupport
import Testing

@testable import CalotypeHummingbird

@Suite(.gated) struct ListenerFieldTests {
    @Test func `the Date field follows the clock`() {
        let time = ManualTimeSource(Timestamp(nanosecondsSince1970: 784_111_777_000_000_000))
        let date = DateField(time)
        #expect(date.value == "Sun, 06 Nov 1994 08:49:37 GMT")
        time.advance(by: .seconds(1))
        #expect(date.value == "Sun, 06 Nov 1994 08:49:38 GMT")
    }

    @Test(arguments: ["", "a b", "a\r\nb", "ä", "a/b", String(repeating: "a", count: 65)])
    func `an invalid request name is replaced by a new one`(text: String) {
        let names = RequestIDs()
        let (first, second) = (names.name(text), names.name(text))
        #expect(first != text && first != second && first.count == 16 && RequestIDs.isName(first))
    }

    @Test(arguments: ["a", "A-b_c.9", String(repeating: "a", count: 64)])
    func `a valid request name is retained`(text: String) {
        #expect(RequestIDs().name(text) == text)
    }
}
