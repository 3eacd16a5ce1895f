import CalotypeTransfer

/// The network addresses and ports that a loader may connect to.
///
/// A server that loads URLs chosen by clients uses ``publicOnly``: it prevents clients from reaching hosts
/// that only the server's own network can reach.
public struct AddressPolicy: Hashable, Sendable {
    private let isPublicOnly: Bool
    private var allowed: Set<AddressRange> = []
    private var denied: Set<AddressRange> = []
    private var ports: Set<Int>?

    private init(isPublicOnly: Bool) {
        self.isPublicOnly = isPublicOnly
    }

    /// All addresses.
    public static let any = AddressPolicy(isPublicOnly: false)

    /// Addresses of the public Internet only, on any port.
    ///
    /// Refuses loopback, private, link-local, shared (carrier-grade NAT), multicast, broadcast, unspecified,
    /// benchmarking, documentation and reserved addresses, unique-local and site-local ones, and every IPv6
    /// address that contains an IPv4 address: mapped, compatible, 6to4, NAT64, Teredo and ISATAP. Also
    /// refuses 168.63.129.16, the host of virtual machines on Azure.
    ///
    /// - SeeAlso: RFC 6890; the IANA registries of special-purpose addresses.
    public static let publicOnly = AddressPolicy(isPublicOnly: true)

    /// Returns ``publicOnly`` with exceptions, such as an object store in the local network.
    ///
    /// - Parameters:
    ///   - allowed: Addresses to permit although they are not public.
    ///   - denied: Addresses to refuse, even if `allowed` contains them.
    ///   - ports: The permitted ports; `nil`, the default, for any.
    /// - Returns: The policy.
    public static func publicOnly(
        allowing allowed: Set<AddressRange> = [],
        denying denied: Set<AddressRange> = [],
        ports: Set<Int>? = nil
    ) -> AddressPolicy {
        var policy = AddressPolicy(isPublicOnly: true)
        (policy.allowed, policy.denied, policy.ports) = (allowed, denied, ports)
        return policy
    }

    func permits(_ address: IPAddress) -> Bool {
        if denied.contains(where: { $0.contains(address) }) { return false }
        if !isPublicOnly || allowed.contains(where: { $0.contains(address) }) { return true }
        return switch address {
        case .v4(let bits):
            !Self.specialV4.contains { bits >> (32 - $0.prefix) == $0.bits >> (32 - $0.prefix) }
        case .v6(let high, let low): Self.isPublic(high: high, low: low)
        }
    }

    /// Returns whether a host is a refused address, or a name of this machine while loopback addresses are
    /// refused.
    ///
    /// Other names are checked by the addresses they resolve to when a connection is made.
    package func refusesHost(_ host: String) -> Bool {
        let name = host.lowercased()
        if name == "localhost" || name.hasSuffix(".localhost") {
            return !permits(.v4(0x7F00_0001)) && !permits(.v6(high: 0, low: 1))
        }
        return IPAddress(literal: host).map { !permits($0) } ?? false
    }

    func permits(port: Int) -> Bool { ports?.contains(port) ?? true }

    /// Prefixes of non-public addresses, with their lengths in bits.
    private static let specialV4: [(bits: UInt32, prefix: UInt32)] = [
        (0x0000_0000, 8),  // 0.0.0.0/8, this host
        (0x0A00_0000, 8),  // 10.0.0.0/8, private
        (0x6440_0000, 10),  // 100.64.0.0/10, shared between a carrier's customers
        (0x7F00_0000, 8),  // 127.0.0.0/8, loopback
        (0xA83F_8110, 32),  // 168.63.129.16, the host of a virtual machine of Azure
        (0xA9FE_0000, 16),  // 169.254.0.0/16, link-local, the metadata services of clouds among them
        (0xAC10_0000, 12),  // 172.16.0.0/12, private
        (0xC000_0000, 24),  // 192.0.0.0/24, protocol assignments
        (0xC000_0200, 24),  // 192.0.2.0/24, documentation
        (0xC058_6300, 24),  // 192.88.99.0/24, relays of 6to4
        (0xC0A8_0000, 16),  // 192.168.0.0/16, private
        (0xC612_0000, 15),  // 198.18.0.0/15, benchmarking
        (0xC633_6400, 24),  // 198.51.100.0/24, documentation
        (0xCB00_7100, 24),  // 203.0.113.0/24, documentation
        (0xE000_0000, 3),  // 224.0.0.0 and all above: multicast, reserved, broadcast
    ]

    /// Prefixes of non-public addresses within the global range.
    private static let specialV6: [(high: UInt64, prefix: UInt64)] = [
        (0x2001_0000_0000_0000, 23),  // 2001::/23, protocol assignments; Teredo is 2001::/32
        (0x2001_0DB8_0000_0000, 32),  // 2001:db8::/32, documentation
        (0x2002_0000_0000_0000, 16),  // 2002::/16, 6to4
        (0x3FFF_0000_0000_0000, 20),  // 3fff::/20, documentation
    ]

    /// Only 2000::/3 is global; loopback, mapped, compatible, NAT64, local and multicast addresses are
    /// outside.
    private static func isPublic(high: UInt64, low: UInt64) -> Bool {
        // ISATAP, RFC 5214 section 6.1: an interface identifier ::0:5efe:a.b.c.d or ::200:5efe:a.b.c.d.
        let isISATAP = (low >> 32) & 0xFDFF_FFFF == 0x0000_5EFE
        let isSpecial = specialV6.contains { high >> (64 - $0.prefix) == $0.high >> (64 - $0.prefix) }
        return high >> 61 == 1 && !isISATAP && !isSpecial
    }
}
