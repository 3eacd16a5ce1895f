import CalotypeLoading
import FoundationEssentials
import LoopbackOrigin
import TestSupport
import Testing

/// Bodies with several content codings.
@Suite(.blocking) struct PackedTwiceTests {
    /// Ten gigabytes of empty blocks, packed three times more: the last coding yields no byte.
    private static let bomb = """
        H4sIAAAAAAAA/5Lv5mAAg/8AAAAA//+a9P5ZAkPzfwYg+P8fAAAA//+a9eVfJJPz53o2hR//5RkYGP7/\
        BwAAAP//7Ni/CwFhHMfxK2U75TJY/BwsMhjIaDb5AyyWy+ImlMlNFlYWkb/CjySbspCN7bIpSlmVX1HU\
        Xcopw71v+XZP1/M83556fa5ntwqIatqVXPaz0UJXaNrrIbfkd4u5wyiteiuJ6qmQDMxLUqZ8XMacxUZn\
        OFnk29OxR7g9mq8ZDqZmSvz+9iiD9WvRZNutqC3xpTw/VXr6w3GdGd4nEgzW3HxeVHd/mjxaf73oH/pX\
        W3v9YfHrrSQs0r+JozbYSsRhkf5NHLXBVmo2i/QPdVAHdVAHdVAHdVAHdVAHdVAHdVAHdab6P2zlybWc\
        zzsuM8kCsoAsIAv47YU6qIM6qIM6qIM6qIM6qIM6qIM6qOMykywgC8gCsoAsgDqogzqogzqogzqogzqo\
        gzqogzqog7ofXWZeAAAA//8=
        """

    // libcurl decodes both kinds.
    @Test(arguments: ["Content-Encoding", "Transfer-Encoding"])
    func `a body packed several times is refused before it is unpacked`(field: String) async throws {
        let packed = try #require(Data(base64Encoded: Self.bomb))
        let routes = [
            "/bomb": OriginResponse(
                headers: [OriginField(field, "gzip, gzip, gzip, gzip")],
                steps: [.bytes(packed)]
            ),
            "/a": OriginResponse.body(sampleBytes(100)),
        ]
        try await withOrigin(routes) { origin, loader async throws in
            // Unpacking would occupy the thread of all loads for half a minute or more.
            let error = await failure { try await loader.data(origin.url("/bomb")) }
            #expect(error?.code == .invalidResponse)
            #expect(try await loader.data(origin.url("/a")) == sampleBytes(100))
        }
    }
}
