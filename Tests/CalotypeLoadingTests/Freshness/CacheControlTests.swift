import CalotypeTesting
import TestSupport
import Testing

@testable import CalotypeLoading

@Suite(.gated)
struct `Directives of Cache-Control` {
    @Test(arguments: [
        ("max-age=60", 60), ("Max-Age=60", 60), (" max-age=60 ", 60), ("max-age=\"60\"", 60),
        ("max-age= 60", 60),
        ("a, ,,max-age=60,", 60), ("a=\"x, max-age=1\", max-age=60", 60), ("max-age=60, max-age=1", 60),
        ("max-age=0060", 60), ("max-age=99999999999999999999", 1 << 31), ("max-age", 0), ("max-age=", 0),
        ("max-age=-1", 0), ("max-age=1.5", 0), ("max-age=+60", 0), ("max-age=x, max-age=60", 0),
        ("max-age=\"60", 0), ("max-age=60;x", 0), ("max-age=٦", 0), ("a=\"\\\", max-age=1\",max-age=60", 60),
    ])
    func `a lifetime is parsed as in RFC 9111, and nil if invalid`(text: String, seconds: Int64) {
        #expect(CacheControl(text).maxAge == seconds)
    }

    @Test(arguments: [
        "", ",", "=", "==,=", "s-maxage=60", "maxage=60", "x-max-age=60", "\"max-age=60\"", "public",
    ])
    func `max-age is nil if absent`(text: String) {
        #expect(CacheControl(text).maxAge == nil)
    }

    @Test func `several fields are one list`() {
        let control = CacheControl([
            HeaderField("cache-control", "public"), HeaderField("X", "no-store"),
            HeaderField("CACHE-CONTROL", "max-age=5, Immutable"),
        ])
        #expect(control.maxAge == 5)
        #expect(control.isImmutable)
        #expect(control.isExplicitlyStorable)
        #expect(!control.isNoStore)
    }

    @Test func `a directive with a field list applies to the whole response`() {
        #expect(CacheControl("no-cache=\"set-cookie, x\", max-age=1").isNoCache)
        #expect(CacheControl("no-cache=\"set-cookie, x\", max-age=1").maxAge == 1)
    }

    @Test func `unterminated quotes hide no directive`() {
        let control = CacheControl("max-age=\"60, no-store, x=\"")
        #expect(control.isNoStore || control.maxAge == 0)
        #expect(CacheControl("ext=\"a, no-store").isNoStore)
    }

    @Test func `an invalid value never extends the use`() {
        #expect(CacheControl("stale-while-revalidate=x, stale-if-error").staleWhileRevalidate == 0)
        #expect(CacheControl("stale-while-revalidate=x, stale-if-error").staleIfError == 0)
        #expect(CacheControl("max-stale").maxStale == 1 << 31)
        #expect(CacheControl("max-stale=x").maxStale == 0)
        #expect(CacheControl("max-stale=9").maxStale == 9)
        #expect(CacheControl("min-fresh=x").minFresh == 1 << 31)
    }

    @Test func `no text crashes or takes long to parse`() {
        var random = SeededGenerator(seed: 3)
        let parts = ["max-age", "no-store", "=", "\"", "\\", ",", " ", "1", "\u{0}", "é", "\t"]
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                parts[Int.random(in: 0..<parts.count, using: &random)]
            }
            _ = CacheControl(text.joined())
        }
        #expect(CacheControl(String(repeating: "a,", count: 20_000) + "max-age=1").maxAge == 1)
        #expect(CacheControl(String(repeating: "a=\"", count: 2_000) + ", max-age=1").isNoStore == false)
    }
}
