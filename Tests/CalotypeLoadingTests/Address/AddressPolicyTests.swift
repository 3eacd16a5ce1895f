import CalotypeTransfer
import TestSupport
import Testing

@testable import CalotypeLoading

@Suite(.gated)
struct `The address policy` {
    @Test(arguments: [
        "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1",
        "127.255.255.254", "168.63.129.16", "169.254.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.255",
        "192.0.0.1",
        "192.0.2.1", "192.88.99.1", "192.168.0.1", "192.168.255.255", "198.18.0.1", "198.19.255.255",
        "198.51.100.1", "203.0.113.255", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
        "::", "::1", "::127.0.0.1", "::8.8.8.8", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:0:8.8.8.8",
        "64:ff9b::8.8.8.8", "64:ff9b::7f00:1", "64:ff9b:1::1", "64:ff9b:1:ffff::8.8.8.8", "100::1",
        "2001::1", "2001:0:53aa:64c:0:7a0f:0:1", "2001:2::1", "2001:10::1", "2001:20::1", "2001:db8::1",
        "2002::1", "2002:7f00:1::1", "2002:808:808::1", "2a00:1450::5efe:10.0.0.1",
        "2a00:1450::200:5efe:8.8.8.8", "2a00:1450:0:0:200:5efe:7f00:1", "3fff::1", "3fff:fff::1", "4000::1",
        "5f00::1", "fc00::1", "fd12:3456::1", "fe80::1", "fe80::5efe:8.8.8.8", "febf::1", "fec0::1",
        "feff::1", "ff02::1", "ffff::1",
    ])
    func `non-public addresses are refused`(text: String) throws {
        let address = try #require(IPAddress(literal: text))
        #expect(!AddressPolicy.publicOnly.permits(address))
        #expect(AddressPolicy.any.permits(address))
    }

    @Test(arguments: [
        "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.1",
        "192.0.3.1", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.101.0",
        "203.0.112.255", "203.0.114.0", "223.255.255.255", "2000::1", "2001:200::1", "2001:4860:4860::8888",
        "2001:db7:ffff::1", "2001:db9::1", "2003::1", "2606:4700::1111", "2a00:1450:4001:81b::200e",
        "2a00:1450::1:5efe:a00:1", "3ffe::1",
    ])
    func `public addresses are permitted, up to the range borders`(text: String) throws {
        let address = try #require(IPAddress(literal: text))
        #expect(AddressPolicy.publicOnly.permits(address))
    }

    @Test(arguments: [
        "127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7F.1", "0177.0.0.1", "017700000001",
        "0x7f.0x0.0x0.0x1", "00000177.1",
    ])
    func `each spelling of an IPv4 address parses to the same address`(text: String) {
        #expect(IPAddress(literal: text) == .v4(0x7F00_0001))
    }

    @Test(arguments: [
        "::1", "[::1]", "0:0:0:0:0:0:0:1", "::0001", "0000::0:1", "::1%lo", "[::1%25lo]", "::0.0.0.1",
    ])
    func `each spelling of an IPv6 address parses to the same address`(text: String) {
        #expect(IPAddress(literal: text) == .v6(high: 0, low: 1))
    }

    @Test(arguments: [
        "", "localhost", "a.test", "1.2.3.4.5", "256.1.1.1", "1.2.3.4 x", "::g", "[]", "0x", "1.",
    ])
    func `parsing an invalid address returns nil`(text: String) {
        #expect(IPAddress(literal: text) == nil)
    }

    @Test func `ranges may be allowed and denied, and denial takes precedence`() throws {
        let policy = AddressPolicy.publicOnly(
            allowing: ["10.1.0.0/16", "fd12::/16", "127.0.0.1"],
            denying: ["10.1.2.0/24", "8.8.0.0/16", "2606:4700::/32"]
        )
        for (text, isPermitted) in [
            ("10.1.0.1", true), ("10.1.255.255", true), ("10.1.2.9", false), ("10.2.0.0", false),
            ("127.0.0.1", true), ("127.0.0.2", false), ("8.8.8.8", false), ("8.9.0.0", true),
            ("fd12:1::1", true), ("fd13::1", false), ("2606:4700::1111", false), ("2606:4701::1", true),
        ] {
            let address = try #require(IPAddress(literal: text))
            #expect(policy.permits(address) == isPermitted, "\(text)")
        }
    }

    @Test func `ports may be restricted`() {
        #expect(AddressPolicy.publicOnly.permits(port: 22))
        let web = AddressPolicy.publicOnly(ports: [80, 443])
        #expect(web.permits(port: 443))
        #expect(!web.permits(port: 22))
    }

    @Test(arguments: [
        "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "::/129", "example.org/8", "1.2.3.4/8/8",
    ])
    func `parsing an invalid range returns nil`(text: String) {
        #expect(AddressRange(text) == nil)
    }

    @Test(arguments: [
        ("0.0.0.0/0", "255.255.255.255", true), ("::/0", "ffff::1", true), ("0.0.0.0/0", "::1", false),
        ("::1", "::1", true), ("::1", "::2", false), ("1:2:3:4:5::/80", "1:2:3:4:5:6::", true),
        ("1:2:3:4:5::/80", "1:2:3:4:6::", false), ("1:2:3:4::/64", "1:2:3:5::", false),
    ])
    func `a range contains the addresses with its prefix`(range: String, text: String, isInside: Bool) throws
    {
        let address = try #require(IPAddress(literal: text))
        #expect(try #require(AddressRange(range)).contains(address) == isInside)
    }
}
