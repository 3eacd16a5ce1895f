import Foundation
import Glibc

/// Why a server of a test did not start.
public struct ServerFailure: Error, CustomStringConvertible {
    /// What the program said.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Where programs are found, how they are started, and where free ports come from.
///
/// Foundation's `Process` hands on which signals the calling thread blocks, so that what it starts cannot be
/// ended, and waits for all that a program leaves in the background.
public enum ServerProcess {
    /// The path of a program, or `nil` where it is not installed.
    public static func find(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/bin"]
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Runs a program to its end, or to where it goes to the background, and returns its status; blocks.
    ///
    /// - Throws: ``ServerFailure`` where it cannot be run.
    public static func run(_ program: String, _ arguments: [String], in folder: String = "/") throws -> Int32
    {
        end(of: try spawn("/usr/bin/env", ["-C", folder, program] + arguments))
    }

    /// Starts a program, whose output goes to a file of ours or nowhere.
    static func spawn(
        _ program: String,
        _ arguments: [String],
        output: Int32? = nil
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in Int32(0)...2 {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        if let output { posix_spawn_file_actions_adddup2(&actions, output, 1) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var processID = pid_t()
        guard posix_spawn(&processID, program, &actions, &attributes, &words, environ) == 0 else {
            throw ServerFailure("\(program) cannot be run")
        }
        return processID
    }

    /// Waits for the end of a program and returns its status.
    @discardableResult
    static func end(of processID: pid_t) -> Int32 {
        var status = Int32(0)
        while waitpid(processID, &status, 0) < 0 && errno == EINTR {}
        return status
    }

    /// Ends a program at once; blocks until it has ended.
    static func kill(_ processID: pid_t) {
        Glibc.kill(processID, SIGKILL)
        end(of: processID)
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
