import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import FoundationEssentials
import Glibc

/// Transforms a small picture many times, and tells what memory is held, in a process of its own.
///
///     TransformProbe COUNT
///
/// Two lines on standard output, after a tenth of the transforms and after all: bytes that libvips holds, and
/// kilobytes of resident memory, apart by a tab.
@main
struct TransformProbe {
    static func main() throws {
        guard CommandLine.arguments.count == 2, let count = Int(CommandLine.arguments[1]), count >= 10 else {
            print("usage: TransformProbe COUNT")
            exit(2)
        }
        let picture = TestPictures.photograph(PixelSize(width: 48, height: 36), format: .rgba8)
        try run(count / 10, on: picture)
        try report()
        try run(count - count / 10, on: picture)
        try report()
    }

    /// One of each kind that libvips treats in its own way.
    private static let chains: [TransformChain] = [
        .blur(sigma: 1.5)
    ]

    private static func run(_ count: Int, on picture: Image) throws {
        for index in 0..<count { _ = try chains[index % chains.count].apply(to: picture) }
    }

    private static func report() throws {
        let status = String(decoding: try Data(contentsOf: URL(filePath: "/proc/self/status")), as: UTF8.self)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        let kilobytes = line.split(separator: " ").compactMap { Int($0) }.first ?? 0
        print("\(VipsPicture.heldByteCount)\t\(kilobytes)")
    }
}
