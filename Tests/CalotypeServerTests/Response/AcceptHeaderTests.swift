import CalotypeCore
import CalotypeServer
import TestSupport
import Testing

@Suite(.gated) struct AcceptHeaderTests {
    private static let offers: [ImageFormat] = [.avif, .webP]

    @Test(arguments: [
        ("image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8", ImageFormat.avif),
        ("image/webp,*/*", .webP), ("image/webp", .webP), ("IMAGE/WEBP", .webP), ("image/webp;q=0.5", .webP),
        ("image/avif;q=0.5,image/webp;q=0.9", .webP), ("image/avif;q=0,image/webp", .webP),
        ("image/avif;q=0.9,image/webp;q=0.9", .avif), (" image/webp ; q=1.000 ,text/html", .webP),
        ("image/avif;q=0.3,image/jpeg;q=0.2", .avif), ("text/html,image/webp;q=0.5", .webP),
        ("image/webp;level=1;q=0.5", .webP), ("image/*;q=0.1,image/avif;q=0.2", .avif),
    ])
    func `the most preferred supported format is chosen`(field: String, format: ImageFormat) {
        #expect(AcceptHeader(field).best(of: Self.offers) == format)
    }

    @Test(arguments: [
        "", "*/*", "image/*", "image/jpeg", "image/webp;q=0", "image/webp;q=0.000",
        "image/webp;q=0.5,image/jpeg",
        "image/webp;q=0.5,*/*", "image/webpx", "x-image/webp", "image/webp;q=2", "image/webp;q=-1",
        "image/webp;q=0.1234",
        "image/webp;q=NaN", "image/webp;q=", "webp", ",,,;;;", "image/avif;q=0,image/webp;q=0",
    ])
    func `a client that prefers other types gets the original format`(field: String) {
        #expect(AcceptHeader(field).best(of: Self.offers) == nil)
    }

    @Test(
        arguments: [
            ("image/jpeg", [ImageFormat.avif, .webP]), ("image/png,image/jpeg", [.avif, .webP]),
            ("image/avif;q=0,*/*", [.avif]), ("image/avif,image/jpeg", [.webP]),
            ("image/png,image/*;q=0.8", [.avif, .webP]), ("image/avif;q=0.1,image/webp,image/jpeg", [.avif]),
            ("image/gif", [.avif, .webP]), ("image/avif;q=0", [.avif]), ("image/avif;q=0,text/html", [.avif]),
            ("image/webp;q=0,image/*", [.webP]), ("image/gif,*/*;q=0.1", []),
            ("image/jpeg;q=0.2,image/avif;q=0.3,*/*;q=0", [.webP]),
            // Every type, or none at all.
            ("*/*", []), ("image/*", []), ("", []), ("text/html", []), ("application/json", []),
            ("image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8", []),
            ("image/jpeg;q=0,*/*;q=0", []),
        ] as [(String, Set<ImageFormat>)]
    )
    func `an original loses the formats that a client excludes or likes less than JPEG or PNG`(
        field: String,
        refused: Set<ImageFormat>
    ) {
        let preserved: Set<ImageFormat> = [.jpeg, .png, .gif, .webP, .avif]
        #expect(AcceptHeader(field).refused(of: preserved) == refused)
    }

    @Test func `an absent field accepts the original format`() {
        #expect(AcceptHeader(nil).best(of: Self.offers) == nil)
    }

    @Test func `a hundred types and 8 KB are parsed up to the limit`() {
        let types = (0..<100).map { "image/x-\($0)" }.joined(separator: ",")
        #expect(AcceptHeader("image/webp,\(types)").best(of: Self.offers) == .webP)
        #expect(AcceptHeader("\(types),image/webp").best(of: Self.offers) == nil)
        let long = String(repeating: "a", count: 8_192)
        #expect(AcceptHeader("image/webp,\(long)").best(of: Self.offers) == .webP)
        #expect(AcceptHeader("\(long),image/webp").best(of: Self.offers) == nil)
    }

    @Test func `a response varies by Accept exactly if the URL names no format`() throws {
        let grammar = ImgproxyGrammar()
        #expect(try grammar.rendering(of: "/unsafe/\(examplePath)").isNegotiated)
        #expect(try !grammar.rendering(of: "/unsafe/\(examplePath)@png").isNegotiated)
        #expect(try !grammar.rendering(of: "/unsafe/raw:1/\(examplePath)").isNegotiated)
    }
}
