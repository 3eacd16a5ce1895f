#if HTTP
import CTransfer
#endif

/// Returns a host name in ASCII, with international labels in Punycode (UTS 46, by libidn2).
///
/// - Returns: `nil` if the name is invalid, if libidn2 is missing, and in a build without the package trait
///   `HTTP`.
package func asciiHost(_ host: String) -> String? {
    #if HTTP
    // A name has at most 253 bytes (RFC 1035 §2.3.4).
    let capacity = 512
    guard host.utf8.count < capacity else { return nil }
    var ascii = [CChar](repeating: 0, count: capacity)
    let isASCII = unsafe calotype_host_to_ascii(host, &ascii, capacity)
    return isASCII
        ? String(decoding: ascii.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    #else
    return nil
    #endif
}
