import CalotypeLoading
import TestSupport
import Testing

@Suite(.gated) struct HeaderFieldTests {
    @Test func `a field is read and set by its name in any case`() {
        var fields = [HeaderField("Accept", "a"), HeaderField("X-Own", "1"), HeaderField("accept", "b")]
        #expect(fields["ACCEPT"] == "a")
        fields["ACCEPT"] = "c"
        #expect(fields == [HeaderField("ACCEPT", "c"), HeaderField("X-Own", "1")])
        fields["New"] = "2"
        fields["x-own"] = nil
        #expect(fields == [HeaderField("ACCEPT", "c"), HeaderField("New", "2")])
        #expect(fields["missing"] == nil)
    }

    @Test func `a description does not show secret values`() {
        #expect("\(HeaderField("Authorization", "Bearer x"))" == "Authorization: …")
        #expect("\(HeaderField("X-Api-Key", "x"))" == "X-Api-Key: …")
        #expect("\(HeaderField("Content-Type", "image/png"))" == "Content-Type: image/png")
    }
}
