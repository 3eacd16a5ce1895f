import Foundation
import Glibc

/// A blocking connection to a service on the loopback interface, for raw bytes.
struct RawConnection: Sendable {
    private let descriptor: Int32

    struct Failure: Error {
        let number: Int32
    }

    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(number: errno) }
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_RCVTIMEO,
            &patience,
            socklen_t(MemoryLayout<timeval>.size)
        )
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            defer { Glibc.close(descriptor) }
            throw Failure(number: errno)
        }
    }

    /// Sends a text; does nothing if the other side has closed.
    func send(_ text: String) {
        _ = Glibc.send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL))
    }

    /// Reads until the received text contains `end`, or the other side closes.
    func receive(until end: String) -> String {
        var received = ""
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while !received.contains(end) {
            let count = recv(descriptor, &bytes, bytes.count, 0)
            guard count > 0 else { return received }
            received += String(decoding: bytes.prefix(count), as: UTF8.self)
        }
        return received
    }

    /// Reads one response: its header, and the announced number of bytes.
    ///
    /// - Throws: ``Failure`` if the other side closes before the end.
    func answer() throws -> (head: String, byteCount: Int) {
        var received: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            if let end = received.firstRange(of: Array("\r\n\r\n".utf8)) {
                let head = String(decoding: received[..<end.lowerBound], as: UTF8.self)
                let fields = head.lowercased().split(separator: "\r\n")
                let length = fields.first { $0.hasPrefix("content-length:") }
                let count = length.flatMap { Int($0.drop { $0 != " " }.dropFirst()) } ?? 0
                if received.count >= end.upperBound + count { return (head, count) }
            }
            let count = recv(descriptor, &bytes, bytes.count, 0)
            guard count > 0 else { throw Failure(number: count == 0 ? 0 : errno) }
            received += bytes.prefix(count)
        }
    }

    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    func close() { Glibc.close(descriptor) }
}
