import CalotypeServer
import TestSupport
import Testing

/// Signatures with the values of thumbor 7.8 and its client.
@Suite(.gated) struct ThumborSignatureTests {
    private static let grammar = ThumborGrammar(
        signature: ThumborSignature(keys: [SigningKey("MY_SECURE_KEY")])
    )

    @Test(arguments: [
        ("src.test/photo.jpg", "FZcaMIifY89NzmZaFq9yrIi3GtE="),
        ("300x0/src.test/photo.jpg", "3AId9AnZNb_eDZbwhVqg_SfUHio="),
        ("-300x-200/src.test/photo.jpg", "Qp_Sev5IO0h_MpWBkrGNBaZePjc="),
        ("10x20:610x420/src.test/photo.jpg", "q5yRftnkY4IXmjvWPVtCUXt610s="),
        ("300x300/right/bottom/smart/src.test/photo.jpg", "giDbuFws4NfisdRGQUDjsM-IBKc="),
        ("fit-in/300x300/filters:fill(red)/src.test/photo.jpg", "bNIuHc_jy5DwZ3O6rGrBknKXBmQ="),
        (
            "300x200/filters:round_corner(20|20,255,255,255)/src.test/photo.jpg",
            "aZXQnqQdFgp9XLIcu8uQG3HXN5A="
        ),
        ("300x200/filters:format(webp):quality(50)/src.test/photo.jpg", "lgD8buxVFbL5cQIhkRFXK8lMrd8="),
    ])
    func `a path has thumbor's signature, and passes with it`(
        path: String,
        signature: String
    ) throws {
        #expect(Self.grammar.signed(path) == "/\(signature)/\(path)")
        #expect(Self.grammar.signed("/\(path)") == "/\(signature)/\(path)")
        #expect(Self.grammar.signed("\(path)?x=1") == "/\(signature)/\(path)", "the service ignores a query")
        _ = try Self.grammar.rendering(of: "/\(signature)/\(path)?x=1")
        _ = try Self.grammar.rendering(of: "/\(signature.replacing("=", with: "%3D"))/\(path)")
    }

    @Test(arguments: [
        "/FZcaMIifY89NzmZaFq9yrIi3GtE/src.test/photo.jpg",
        "/FZcaMIifY89NzmZaFq9yrIi3GtE==/src.test/photo.jpg",
        "/F/src.test/photo.jpg", "/unsafe/src.test/photo.jpg",
        "/FZcaMIifY89NzmZaFq9yrIi3GtE=/src.test/Photo.jpg",
        "/FZcaMIifY89NzmZaFq9yrIi3GtE=/src.test/%70hoto.jpg",
        "/FZcaMIifY89NzmZaFq9yrIi3GtE=//src.test/photo.jpg",
        "/FZcaMIifY89NzmZaFq9yrIi3GtE=/FZcaMIifY89NzmZaFq9yrIi3GtE=/src.test/photo.jpg",
        "/300x200/src.test/photo.jpg", "/%FF/src.test/photo.jpg",
    ])
    func `a path not signed by a key is refused`(target: String) {
        #expect(refusal { _ = try Self.grammar.rendering(of: target) } == .invalidSignature)
    }

    @Test func `all rotated keys verify`() throws {
        let keys = [SigningKey("new"), SigningKey("MY_SECURE_KEY")]
        let grammar = ThumborGrammar(signature: ThumborSignature(keys: keys))
        _ = try grammar.rendering(of: "/FZcaMIifY89NzmZaFq9yrIi3GtE=/src.test/photo.jpg")
    }

    @Test func `without keys only “unsafe” passes, and with keys if it is allowed`() throws {
        _ = try ThumborGrammar().rendering(of: "/unsafe/src.test/photo.jpg")
        let signed = "/FZcaMIifY89NzmZaFq9yrIi3GtE=/src.test/photo.jpg"
        #expect(refusal { _ = try ThumborGrammar().rendering(of: signed) } == .invalidSignature)
        let both = ThumborSignature(keys: [SigningKey("MY_SECURE_KEY")], allowsUnsafe: true)
        for target in ["/unsafe/src.test/photo.jpg", signed] {
            _ = try ThumborGrammar(signature: both).rendering(of: target)
        }
    }
}
