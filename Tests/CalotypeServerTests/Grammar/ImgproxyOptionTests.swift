import CalotypeCore
import CalotypeServer
import CalotypeTransforms
import TestSupport
import Testing

@Suite(.gated) struct ImgproxyOptionTests {
    private static func rendering(_ tail: String) throws -> Rendering {
        try ImgproxyGrammar().rendering(of: "/unsafe/\(tail)")
    }

    @Test(arguments: [
        ("w:abc/\(examplePath)", RequestError.Code.invalidOption), ("foo:1/\(examplePath)", .unknownOption),
        ("w:10:20/\(examplePath)", .invalidOption), ("c:100::no/\(examplePath)", .invalidOption),
        ("g:fp:0.5/\(examplePath)", .invalidOption), ("rot:45/\(examplePath)", .invalidOption),
        ("f:tif/\(examplePath)", .invalidOption), ("fit/300/300/\(examplePath)", .malformedPath),
        ("rs:fit:300:300/plain/http://src.test/a@b@png", .invalidSource),
        ("rs:fit:300:300//\(examplePath)", .malformedPath), ("mrd:100/\(examplePath)", .forbiddenOption),
        ("\(examplePath)@svg", .unsupportedFormat), ("ba:5/\(examplePath)", .unsupportedOption),
        ("wmt:1/\(examplePath)", .unsupportedOption), ("wm:2/\(examplePath)", .invalidOption),
        ("sm:1:1/\(examplePath)", .invalidOption),
        ("scp:0:0/\(examplePath)", .invalidOption), ("gif_options:1/\(examplePath)", .unsupportedOption),
        ("W:10/\(examplePath)", .unknownOption), ("raw/\(examplePath)", .malformedPath),
        ("g:obj:face/\(examplePath)", .unsupportedOption), ("enc/abcd", .unsupportedOption),
        ("t:1::1/\(examplePath)", .unsupportedOption), ("fq:jpg:1:png/\(examplePath)", .invalidOption),
        ("\(examplePath)@heif", .invalidOption), ("rs:cover:1:1/\(examplePath)", .invalidOption),
    ])
    func `an unsupported option is refused by its own code`(tail: String, code: RequestError.Code) {
        #expect(refusal { _ = try Self.rendering(tail) } == code)
    }

    @Test(arguments: [
        "w:-1", "w:2147483648", "w:9223372036854775808", "w:", "w:1.5", "w:٣", "dpr:0", "dpr:-1",
        "dpr:1e6", "dpr:NaN", "dpr:nan", "dpr:inf", "dpr:Inf", "dpr:1e309", "dpr:0x10", "dpr:", "z:0",
        "bl:1e9", "bl:-1", "bl:NaN", "sh:1e309", "q:-1", "q:101", "q:", "q:9e1", "pd:9223372036854775807",
        "pd:1:-1", "c:NaN:1", "c:1:1e309", "c:-1:1", "g:fp:1.1:0", "g:fp:NaN:0", "g:no:1e309", "g:xx",
        "rs:fit:10:10:1:1:sm", "mb:-1", "exp:-1", "exp:9223372036854775808", "exp:1.5", "bg:ggg", "bg:1:2",
        "bg:256:0:0", "fn:+++:1", "rot:", "t:NaN", "t:-1", "rs", "rs:", "mw:-5",
    ])
    func `an invalid or out-of-range number is refused`(option: String) {
        let refused = refusal { _ = try Self.rendering("\(option)/\(examplePath)") }
        // Without an argument it is the start of a source; an empty type is ignored.
        let expected: RequestError.Code? =
            option == "rs" ? .malformedPath : option == "rs:" ? nil : .invalidOption
        #expect(refused == expected)
    }

    @Test(
        arguments: [
            ("sm:0", false, nil), ("sm:1", true, nil), ("strip_metadata:false", false, nil),
            ("scp:1", nil, true), ("scp:0", nil, false), ("strip_color_profile:t", nil, true),
            ("sm:0/scp:1/sm:1", true, true), ("w:5", nil, nil),
        ] as [(String, Bool?, Bool?)]
    )
    func `metadata and profiles are kept as the URL states`(
        options: String,
        stripsMetadata: Bool?,
        stripsColorProfile: Bool?
    ) throws {
        let rendering = try Self.rendering("\(options)/\(examplePath)")
        #expect(rendering.stripsMetadata == stripsMetadata)
        #expect(rendering.stripsColorProfile == stripsColorProfile)
    }

    @Test(arguments: [
        ("w:+5", "w:5"), ("w:005", "w:5"), ("dpr:2e0", "dpr:2"), ("dpr:.5", "dpr:0.5"), ("q:0", "q:0"),
    ])
    func `numbers may use Go's syntax`(option: String, plain: String) throws {
        #expect(
            try Self.rendering("\(option)/\(examplePath)") == Self.rendering("\(plain)/\(examplePath)")
        )
    }

    @Test func `the last value of a repeated option applies, and its fields are independent`() throws {
        let pairs = [
            ("w:5/w:7", "w:7"), ("rs:fill:3:4/w:100", "rs:fill:100:4"), ("g:no:1:2/g:so", "g:so:1:2"),
            ("rs:fit:5:6/rs::7", "rs:fit:7:6"), ("skp:png/skp:jpg", "skp:jpg:png"),
            ("pd:5/pd:1", "pd:1:1:1:1"),
            ("bg:fff/bg:", "pd:0"), ("q:5/q:0", "q:0"), ("bg:f80", "bg:255:136:0"), ("f:jpg", "ext:jpeg"),
        ]
        for (left, right) in pairs {
            let both = try [left, right].map { try Self.rendering("\($0)/\(examplePath)") }
            #expect(both[0] == both[1], "\(left)")
        }
    }

    @Test(arguments: [
        "g:no:%0:5", "c:%0:9", "g:fp:%0:1", "ex:1:so:1:%0", "wm:1:ce:%0:0/wmr:%0", "gr:%0:fff:%0",
    ])
    func `both zeros have one key`(options: String) throws {
        let keys = try ["0", "-0", "0e5", "-0.0"].map { zero in
            let options = options.replacing("%0", with: zero)
            let rendering = try ImgproxyGrammar().rendering(of: "/unsafe/w:9/\(options)/\(examplePath)")
            return rendering.transforms.cacheIdentity
        }
        #expect(Set(keys).count == 1, "\(keys)")
    }

    @Test func `ten thousand options are refused before any is applied`() {
        let many = Array(repeating: "w:1", count: 2_000).joined(separator: "/")
        #expect(refusal { _ = try Self.rendering("\(many)/\(examplePath)") } == .pathTooLong)
        let tenThousand = Array(repeating: "w:1", count: 10_000).joined(separator: "/")
        #expect(refusal { _ = try Self.rendering("\(tenThousand)/\(examplePath)") } == .pathTooLong)
        let arguments = Array(repeating: "jpg", count: 33).joined(separator: ":")
        #expect(refusal { _ = try Self.rendering("skp:\(arguments)/\(examplePath)") } == .invalidOption)
    }

    @Test func `presets that call each other many times end at the limit`() throws {
        let presets = try ImgproxyPresets(
            (0..<12).map { "p\($0)=" + Array(repeating: "pr:p\($0 + 1)", count: 8).joined(separator: "/") }
                + ["p12=w:1"]
        )
        let grammar = ImgproxyGrammar(presets: presets)
        #expect(refusal { _ = try grammar.rendering(of: "/unsafe/pr:p0/\(examplePath)") } == .pathTooLong)
    }

    @Test func `the extension takes precedence over the option, and raw over both`() throws {
        #expect(try Self.rendering("f:png/\(examplePath)@webp").output == .format(.webP))
        #expect(try Self.rendering("f:png/\(examplePath)").output == .format(.png))
        #expect(try Self.rendering("raw:1/f:png/\(examplePath)@nonsense").output == .original)
        #expect(try Self.rendering(examplePath).output == .negotiated)
        #expect(try Self.rendering("\(examplePath)@").output == .negotiated)
    }

    @Test func `file name, attachment, expiry and cache buster are read`() throws {
        let delivery = try Self.rendering("fn:cat/att:1/exp:2000000000/cb:v2/\(examplePath)").delivery
        #expect(delivery.fileName == "cat" && delivery.isAttachment == true && delivery.cacheBuster == "v2")
        let end = Timestamp(nanosecondsSince1970: 2_000_000_000_000_000_000)
        #expect(delivery.expires == end)
        try delivery.check(at: end - .seconds(1))
        #expect(refusal { try delivery.check(at: end) } == .expired)
        #expect(try Self.rendering("fn:Y2F0:1/\(examplePath)").delivery.fileName == "cat")
        #expect(try Self.rendering("exp:0/\(examplePath)").delivery.expires == nil)
    }

    @Test func `a year out of range becomes the latest timestamp`() throws {
        let delivery = try Self.rendering("exp:9223372036854775807/\(examplePath)").delivery
        #expect(delivery.expires?.nanosecondsSince1970 == .max)
    }

    @Test func `a service may allow some options only, each by its written name`() throws {
        var grammar = ImgproxyGrammar()
        grammar.allowedOptions = ["w"]
        _ = try grammar.rendering(of: "/unsafe/w:1/\(examplePath)")
        #expect(
            refusal { _ = try grammar.rendering(of: "/unsafe/width:1/\(examplePath)") } == .forbiddenOption
        )
    }

    @Test func `an error quotes only the option's name from the URL`() {
        do {
            _ = try Self.rendering("gif_options:<script>/\(examplePath)")
            Issue.record("it was taken")
        } catch let error as RequestError {
            #expect(error.option == "gif_options")
        } catch {
            Issue.record(error)
        }
        #expect(RequestError(.unknownOption, option: "a\"<b>\r\n\u{202E}", detail: "").option == "ab")
    }
}
