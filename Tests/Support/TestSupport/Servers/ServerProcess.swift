import Foundation
import Glibc

/// The error of a test server that did not start.
public struct ServerFailure: Error, CustomStringConvertible {
    /// The output of the program.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Lookup and start of programs, and choice of free ports.
public enum ServerProcess {
    /// The path of a program, or `nil` if it is not installed.
    public static func find(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/bin"]
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Runs a program until it exits or moves to the background, and returns its status; blocks.
    ///
    /// - Throws: ``ServerFailure`` if the program cannot be run.
    public static func run(_ program: String, _ arguments: [String], in folder: String = "/") throws -> Int32
    {
        try ChildProcess("/usr/bin/env", ["-C", folder, program] + arguments).wait()
    }

    /// A port of 127.0.0.1 that was free a moment ago.
    static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var count = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, count) == 0 && getsockname(descriptor, generic, &count) == 0
            }
        }
        guard status else { throw ServerFailure("no free port") }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
